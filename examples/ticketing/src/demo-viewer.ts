import type { DashboardViewer } from '@callboard/dashboard'
import { DEMO_ACCOUNT } from './demo-account.ts'

/**
 * The viewer of the dashboard. A real platform checks its own session here. The demo shows the demo account to anybody
 * on this machine, but refuses a website that points its own name at this machine (DNS rebinding).
 */
export function demoViewer(request: Request): DashboardViewer | Response {
  const { hostname } = new URL(request.url)
  if (hostname !== 'localhost' && hostname !== '127.0.0.1')
    return new Response('Open the dashboard on localhost.', { status: 403 })
  return {
    accountId: DEMO_ACCOUNT,
    id: 'demo-viewer',
    can: ['webhooks.read', 'webhooks.write', 'events.read', 'people.read', 'keys.read', 'keys.write', 'audit.read'],
  }
}
