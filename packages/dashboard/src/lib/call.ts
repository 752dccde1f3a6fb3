import type { EventType, Mode } from '@callboard/core'
import type { AnyCallboard, Engine, TestSender } from '@callboard/core/engine'
import type { DashboardBrand } from './brand.ts'
import type { EventTypeTexts } from './event-type-texts.ts'
import type { DashboardTexts } from './texts/english.ts'
import type { DashboardPermission } from './viewer.ts'

/** One request to the dashboard, by a viewer whom the platform has authorised. */
export interface Call {
  readonly callboard: AnyCallboard
  /**
   * The parts of core's engine that pages need: the clock, the hooks, the format versions, the ids of new keys, and
   * events as JSON text.
   */
  readonly engine: Pick<Engine, 'eventTexts' | 'formats' | 'headerNames' | 'hooks' | 'keyIds' | 'now'>
  readonly request: Request
  /** Unique per request; error pages show it. */
  readonly requestId: string
  readonly accountId: string
  readonly mode: Mode
  /** The texts of the dashboard. Dates and numbers are in the same language. */
  readonly texts: DashboardTexts
  readonly brand: DashboardBrand | undefined
  /** The IANA name of the zone in which the page shows and reads all times. */
  readonly timeZone: string
  /**
   * The cookie in which the script may tell the server the browser's zone. Undefined if the platform states the
   * viewer's zone, and on pages that cannot be loaded again.
   */
  readonly zoneCookie: string | undefined
  readonly query: URLSearchParams
  /** Returns the texts of an event type in the language of the dashboard. */
  describe(type: EventType): EventTypeTexts
  /** Sends test events; undefined if the platform does not offer them. */
  readonly tests?: Pick<TestSender, 'send'> | undefined
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  may(permission: DashboardPermission): boolean
  /** The URL of a dashboard page such as `/subscriptions`, including the base path. */
  href(path: string, query?: Readonly<Record<string, string | undefined>>): string
  /**
   * Reads the posted form. It can be read only once. Throws `VALIDATION_FAILED` if the body is not a form or is too
   * large.
   */
  form(): Promise<URLSearchParams>
}
