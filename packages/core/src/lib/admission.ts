import { hashApiKey, isApiKey } from './api-key.ts'
import { parseAuthorization } from './authorization-header.ts'
import type { EventReading, EventsPage, EventsQuery, ParsedEventsQuery } from './event-reading.ts'
import type { AdmissionRequest, AdmissionStore, Caller, Admission as StoreAdmission } from './ports/admission-store.ts'
import type { EventPage } from './ports/event-store.ts'
import type { RateLimiter } from './ports/rate-limiter.ts'
import type { RateLimits, RateWindowState } from './rate-limit.ts'

/** What became of a request at the door. */
export type Admission =
  /** No key, or none that is valid: the caller learns only whether it sent something. */
  | { readonly outcome: 'refused'; readonly credentials: 'missing' | 'invalid' }
  | { readonly outcome: 'limited' | 'admitted'; readonly caller: Caller; readonly windows: readonly RateWindowState[] }

export interface EventsAdmission {
  readonly admission: Admission
  /** The page, when the request was admitted, in scope and valid. */
  readonly page: EventsPage | undefined
  /** Why there is none although the request was admitted: `VALIDATION_FAILED`, or what went wrong while it was read. */
  readonly problem: unknown
}

/** The way in for requests that carry an API key. */
export interface Admissions {
  /** Judges the value of an `Authorization` header, and takes a request from the key's windows. */
  admit(authorization: string | null): Promise<Admission>
  /** {@link Admissions.admit} and the page in one round trip to the store. */
  admitToEvents(authorization: string | null, query: EventsQuery): Promise<EventsAdmission>
}

export interface AdmissionsOptions {
  readonly store: AdmissionStore
  readonly reading: EventReading
  readonly keyPrefix: string
  readonly limits: RateLimits
  readonly horizonMs: number
  readonly rateLimiter: RateLimiter | undefined
  readonly eventPage: (caller: Caller, query: ParsedEventsQuery) => Promise<EventPage>
}

export function createAdmissions(options: AdmissionsOptions): Admissions {
  const { store, reading, keyPrefix, limits, horizonMs, rateLimiter, eventPage } = options

  const tokenHash = (authorization: string | null): Uint8Array | Promise<Uint8Array> | 'missing' | 'invalid' => {
    const credentials = parseAuthorization(authorization)
    if (credentials.kind !== 'token')
      return credentials.kind === 'malformed' && credentials.sent ? 'invalid' : 'missing'
    return isApiKey(credentials.token, keyPrefix) ? hashApiKey(credentials.token) : 'invalid'
  }

  const admitBy =
    (limiter: RateLimiter) =>
    async (request: AdmissionRequest): Promise<StoreAdmission> => {
      const known = await store.identify(request.tokenHash)
      if (known === undefined) return { outcome: 'unknown' }
      const { admitted, windows } = await limiter.take(known.caller.keyId, known.limits ?? request.limits)
      return { outcome: admitted ? 'admitted' : 'limited', caller: known.caller, windows }
    }
  const admit = rateLimiter === undefined ? (request: AdmissionRequest) => store.admit(request) : admitBy(rateLimiter)

  return {
    async admit(authorization) {
      const hash = tokenHash(authorization)
      if (typeof hash === 'string') return { outcome: 'refused', credentials: hash }
      return fromStore(await admit({ tokenHash: await hash, limits }))
    },

    async admitToEvents(authorization, query) {
      const hash = tokenHash(authorization)
      if (typeof hash === 'string')
        return { admission: { outcome: 'refused', credentials: hash }, page: undefined, problem: undefined }
      const request = { tokenHash: await hash, limits }
      let parsed: ParsedEventsQuery
      try {
        parsed = reading.parse(query)
      } catch (problem) {
        // A bad request is counted like any other, and answered only to a key that may read.
        return { admission: fromStore(await admit(request)), page: undefined, problem }
      }
      const { admission, read } = await admitToPage(request, parsed)
      if (admission.outcome !== 'admitted' || read === undefined)
        return { admission, page: undefined, problem: undefined }
      const { account, mode, scopes } = admission.caller
      const reader = { accountId: account.id, mode, personalData: scopes.includes('people.read') }
      try {
        await reading.verify(parsed, reader)
        return { admission, page: await reading.render(await read(), parsed, reader), problem: undefined }
      } catch (problem) {
        return { admission, page: undefined, problem }
      }
    },
  }

  async function admitToPage(
    request: AdmissionRequest,
    query: ParsedEventsQuery,
  ): Promise<{ admission: Admission; read: (() => Promise<EventPage>) | undefined }> {
    if (rateLimiter === undefined) {
      const { type, cursor, limit } = query
      // The cursor is bound to an account that only the store can name: it is used to read, and verified before anything is shown.
      const { admission, page } = await store.admitToEvents(request, {
        type,
        after: cursor?.position,
        limit,
        horizonMs,
      })
      return { admission: fromStore(admission), read: page && (async () => page) }
    }
    const admission = fromStore(await admit(request))
    if (admission.outcome !== 'admitted' || !admission.caller.scopes.includes('webhooks.read'))
      return { admission, read: undefined }
    const { caller } = admission
    return { admission, read: () => eventPage(caller, query) }
  }
}

function fromStore(admission: StoreAdmission): Admission {
  return admission.outcome === 'unknown' ? { outcome: 'refused', credentials: 'invalid' } : admission
}
