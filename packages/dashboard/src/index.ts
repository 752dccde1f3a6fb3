export { createDashboard, type Dashboard, type DashboardOptions } from './lib/create-dashboard.ts'
export type { DashboardTheme } from './lib/theme.ts'
export type { DashboardPermission, DashboardViewer } from './lib/viewer.ts'
