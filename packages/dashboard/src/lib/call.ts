import type { Mode } from '@callboard/core'
import type { AnyCallboard, Engine, TestSender } from '@callboard/core/engine'
import type { DashboardPermission } from './viewer.ts'

/** One request on its way through the dashboard, by somebody whom the platform knows. */
export interface Call {
  readonly callboard: AnyCallboard
  /** Its clock, its hooks, and events as texts. */
  readonly engine: Pick<Engine, 'eventTexts' | 'hooks' | 'now'>
  readonly request: Request
  /** Fresh for every request; on error pages. */
  readonly requestId: string
  readonly accountId: string
  readonly mode: Mode
  /** For `Intl`, from `Accept-Language`; the browser puts times into its own zone. */
  readonly locale: string
  readonly query: URLSearchParams
  /** The text behind an event type's `descriptionKey`; undefined: the platform gives none. */
  describe(descriptionKey: string): string | undefined
  /** Sends test events; undefined: the platform has none sent. */
  readonly tests?: TestSender | undefined
  /** What the path's pattern names. */
  readonly params: Readonly<Record<string, string>>
  may(permission: DashboardPermission): boolean
  /** The address of one of the dashboard's own pages, `/subscriptions` for example, wherever it is mounted. */
  href(path: string, query?: Readonly<Record<string, string | undefined>>): string
  /** The fields of a posted form; read once. Throws `VALIDATION_FAILED` for what is no form, or too large. */
  form(): Promise<URLSearchParams>
}
