import type { Mode } from '../accounts/mode.ts'
import type { RateLimits, RateWindowState } from '../admission/rate-limit.ts'
import type { Scope } from '../keys/scopes.ts'
import type { AccountMode } from './account-store.ts'
import type { EventPage, EventPageRequest } from './event-store.ts'

export interface AdmissionRequest {
  /** SHA-256 of the whole token. */
  readonly tokenHash: Uint8Array
  /** Rate limits for keys that have none of their own. */
  readonly limits: RateLimits
  /** The page of events to read if the request is admitted; by default, none is read. */
  readonly page?: CallerPageRequest | undefined
}

/** The key behind an admitted or rate-limited request. */
export interface Caller {
  readonly keyId: string
  readonly account: { readonly id: string; readonly name: string }
  readonly mode: Mode
  readonly scopes: readonly Scope[]
  /** The format version that the key is pinned to. */
  readonly apiVersion: string
}

/** The result of {@link AdmissionStore.admitRequest}. */
export type StoreAdmission =
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'limited'; readonly caller: Caller; readonly windows: readonly RateWindowState[] }
  | {
      readonly outcome: 'admitted'
      readonly caller: Caller
      readonly windows: readonly RateWindowState[]
      /** Undefined if the key lacks the scope `webhooks.read`, or no page was requested. */
      readonly page?: EventPage | undefined
    }

/**
 * A request for a page of the caller's own events. The caller's key determines the account, the mode and the access to
 * personal data.
 */
export type CallerPageRequest = Omit<EventPageRequest, keyof AccountMode | 'personalData'>

/**
 * Decides whether to admit API requests. Callboard calls exactly one of these methods for each request, and `identify`
 * again while a request stays open.
 */
export interface AdmissionStore {
  /**
   * Looks up a valid key without counting a request, for platforms with their own `RateLimiter` and for requests that
   * stay open. Returns undefined in the cases in which {@link admitRequest} returns `unknown`.
   */
  identify(
    tokenHash: Uint8Array,
  ): Promise<{ readonly caller: Caller; readonly limits: RateLimits | undefined } | undefined>

  /**
   * Looks up a key and counts one request in all three of its rate-limit windows, atomically across all nodes. No
   * window admits more than its limit, even when requests race, and a refused request is counted in no window. Returns
   * `unknown` for a key that does not exist, is revoked or expired, or belongs to an account that is being deleted.
   *
   * The page is read in the same round trip. It contains personal data only if the key has `people.read`. A store with
   * a replica may read the page there, in a second round trip, as `EventStore.pageEvents` does.
   */
  admitRequest(request: AdmissionRequest): Promise<StoreAdmission>
}
