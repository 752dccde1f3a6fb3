import type { Mode } from '@callboard/core'

/**
 * A permission of a viewer:
 * - `webhooks.read`: see subscriptions, deliveries and attempts.
 * - `webhooks.write`: create and change subscriptions, send test events and resend deliveries.
 * - `events.read`: see events.
 * - `people.read`: see personal data in events, and the responses of targets. Also needed to edit subscriptions that
 *   receive personal data, and to rotate their secrets.
 * - `keys.read`: see API keys, without their tokens.
 * - `keys.write`: create, rotate and revoke API keys.
 * - `audit.read`: see who changed keys, subscriptions and deliveries.
 */
export type DashboardPermission =
  | 'webhooks.read'
  | 'webhooks.write'
  | 'events.read'
  | 'people.read'
  | 'keys.read'
  | 'keys.write'
  | 'audit.read'

/** The person viewing the dashboard, as returned by the platform's `authorize`. */
export interface DashboardViewer {
  /** The account to show. Every query is limited to this account. */
  readonly accountId: string
  /** `live` by default. */
  readonly mode?: Mode | undefined
  /**
   * An opaque id of the person, for the audit trail: 1–255 characters, not a name or an e-mail address. Without it, the
   * audit trail does not tell one person from another.
   */
  readonly id?: string | undefined
  /**
   * The IANA name of the time zone of all times that the viewer sees and enters, such as `Europe/Berlin`. By default
   * the browser's zone, which the dashboard's script keeps in a cookie; without scripts, UTC.
   */
  readonly timeZone?: string | undefined
  readonly can: readonly DashboardPermission[]
}
