import { createDashboard, type DashboardPermission } from '@callboard/dashboard'
import { createTestSender } from '@callboard/delivery'
import { callboard } from '../start/callboard.ts'
import { sessionOf } from './session.ts'

// #region dashboard
const STAFF: readonly DashboardPermission[] = ['webhooks.read', 'events.read']
const OWNER: readonly DashboardPermission[] = [
  ...STAFF,
  'webhooks.write',
  'people.read',
  'keys.read',
  'keys.write',
  'audit.read',
]

export const dashboard = createDashboard(callboard, {
  authorize(request) {
    const session = sessionOf(request) // your own session: the dashboard has none
    if (session === undefined) return new Response(null, { status: 303, headers: { location: '/sign-in' } })
    return { accountId: session.account, id: session.user, can: session.role === 'owner' ? OWNER : STAFF }
  },
  describe: (descriptionKey) => TEXTS[descriptionKey],
  brand: { name: 'Harbour Hall', home: '/', support: 'mailto:help@example.com', docs: '/docs/api' },
  theme: { variables: { '--cb-accent': '#0f766e' }, darkVariables: { '--cb-accent': '#5eead4' } },
  tests: createTestSender(callboard), // adds the button that sends a test event
})

/** Descriptions of event types, by `descriptionKey`. */
const TEXTS: Readonly<Record<string, string>> = {
  'events.order_paid': 'Somebody has paid for an order.',
}
// #endregion
