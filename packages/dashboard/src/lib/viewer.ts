import type { Mode } from '@callboard/core'

/**
 * A permission of a viewer:
 * - `webhooks.read`: see subscriptions, deliveries and attempts.
 * - `webhooks.write`: create and change subscriptions, send test events and resend deliveries.
 * - `events.read`: see events.
 * - `people.read`: see personal data in events, and the responses of targets.
 * - `keys.read`: see API keys, without their tokens.
 * - `keys.write`: create, rotate and revoke API keys.
 */
export type DashboardPermission =
  | 'webhooks.read'
  | 'webhooks.write'
  | 'events.read'
  | 'people.read'
  | 'keys.read'
  | 'keys.write'

/** The person viewing the dashboard, as returned by the platform's `authorize`. */
export interface DashboardViewer {
  /** The account to show. Every query is limited to this account. */
  readonly accountId: string
  /** `live` by default. */
  readonly mode?: Mode | undefined
  readonly can: readonly DashboardPermission[]
}
