import type { DashboardViewer } from '@callboard/dashboard'
import { DEMO_ACCOUNT } from './demo-account.ts'

/**
 * The viewer of the dashboard. A platform would check its own session here. The demo has none, and shows the demo
 * account to anybody on this machine. A page elsewhere that points its name here (DNS rebinding) sends that name and
 * sees nothing.
 */
export function demoViewer(request: Request): DashboardViewer | Response {
  const { hostname } = new URL(request.url)
  if (hostname !== 'localhost' && hostname !== '127.0.0.1')
    return new Response('Open the dashboard on localhost.', { status: 403 })
  return {
    accountId: DEMO_ACCOUNT,
    can: ['webhooks.read', 'webhooks.write', 'events.read', 'people.read', 'keys.read', 'keys.write'],
  }
}
