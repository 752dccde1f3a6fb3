import type { DashboardViewer } from '@callboard/dashboard'
import { DEMO_ACCOUNT } from './demo-account.ts'
import { refuseOtherHosts } from './refuse-other-hosts.ts'

/**
 * The viewer of the dashboard. A real platform checks its own session here. The demo shows the demo account to anybody
 * on this machine.
 */
export function demoViewer(request: Request): DashboardViewer | Response {
  return (
    refuseOtherHosts(request) ?? {
      accountId: DEMO_ACCOUNT,
      id: 'demo-viewer',
      can: ['webhooks.read', 'webhooks.write', 'events.read', 'people.read', 'keys.read', 'keys.write', 'audit.read'],
    }
  )
}
