import type { DashboardViewer } from '@callboard/dashboard'
import { DEMO_ACCOUNT } from './demo-account.ts'

/**
 * Who looks at the dashboard. A platform looks at its own session here; the demo has none, and shows whoever is at this machine the
 * demo account. A page elsewhere that points its name here (DNS rebinding) comes with that name, and sees nothing.
 */
export function demoViewer(request: Request): DashboardViewer | Response {
  const { hostname } = new URL(request.url)
  if (hostname !== 'localhost' && hostname !== '127.0.0.1')
    return new Response('Open it on localhost.', { status: 403 })
  return {
    accountId: DEMO_ACCOUNT,
    can: ['webhooks.read', 'webhooks.write', 'events.read', 'people.read', 'keys.read', 'keys.write'],
  }
}
