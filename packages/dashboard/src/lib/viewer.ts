import type { Mode } from '@callboard/core'

/**
 * What somebody may see and do: look at subscriptions and deliveries (`webhooks.read`), change, test and resend (`webhooks.write`),
 * look at events (`events.read`), see personal data in them (`people.read`), see API keys (`keys.read`), issue, rotate and revoke
 * them (`keys.write`).
 */
export type DashboardPermission =
  | 'webhooks.read'
  | 'webhooks.write'
  | 'events.read'
  | 'people.read'
  | 'keys.read'
  | 'keys.write'

/** Who looks, in the platform's words: it has signed them in, and says for which account. */
export interface DashboardViewer {
  /** The account that is shown; every query carries it. */
  readonly accountId: string
  /** `live` by default. */
  readonly mode?: Mode | undefined
  readonly can: readonly DashboardPermission[]
}
