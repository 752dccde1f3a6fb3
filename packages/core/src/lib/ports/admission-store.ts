import type { Mode } from '../accounts/mode.ts'
import type { RateLimits, RateWindowState } from '../admission/rate-limit.ts'
import type { Scope } from '../keys/scopes.ts'
import type { EventPage, EventPosition } from './event-store.ts'

export interface AdmissionRequest {
  /** SHA-256 of the whole token. */
  readonly tokenHash: Uint8Array
  /** The windows of keys that have none of their own. */
  readonly limits: RateLimits
}

/** The key behind an admitted (or limited) request. */
export interface Caller {
  readonly keyId: string
  readonly account: { readonly id: string; readonly name: string }
  readonly mode: Mode
  readonly scopes: readonly Scope[]
}

/** {@link AdmissionStore.admit}'s answer. */
export type StoreAdmission =
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'admitted' | 'limited'; readonly caller: Caller; readonly windows: readonly RateWindowState[] }

/** What a page of the caller's own events is read with; account, mode and sight of personal data come from the key. */
export interface CallerPageRequest {
  readonly type: string | undefined
  /** The page starts behind this position. */
  readonly after: EventPosition | undefined
  readonly limit: number
  /** Events published longer ago than this are not shown. */
  readonly horizonMs: number
}

/** The way in: every API request is one call of one of these verbs. */
export interface AdmissionStore {
  /** Looks a key up and takes nothing from its windows, for platforms that bring a `RateLimiter` of their own. */
  identify(
    tokenHash: Uint8Array,
  ): Promise<{ readonly caller: Caller; readonly limits: RateLimits | undefined } | undefined>

  /**
   * Looks a key up and takes one request from all three of its windows, as one atomic step: of any number of
   * racing requests, on any number of nodes, no window admits more than its limit, and a refused request counts in
   * none. `unknown` for a key that does not exist, is revoked or has expired, or whose account is being deleted.
   */
  admit(request: AdmissionRequest): Promise<StoreAdmission>

  /**
   * {@link admit}, and in the same round trip the page, if the request was admitted and the key holds `webhooks.read`
   * (else no page). Personal data is in it only if the key holds `people.read`.
   */
  admitToEvents(
    request: AdmissionRequest,
    page: CallerPageRequest,
  ): Promise<{ admission: StoreAdmission; page: EventPage | undefined }>
}
