import type { EventReading, EventsQuery, EventTextsPage } from '../events/event-reading.ts'
import { hashApiKey, isApiKey } from '../keys/api-key.ts'
import { mayBeImported } from '../keys/imported-key.ts'
import { keySeesPersonalData } from '../personal-data/who-may-see.ts'
import type { AdmissionStore, Caller, StoreAdmission } from '../ports/admission-store.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { RateLimiter } from '../ports/rate-limiter.ts'
import { validationFailed } from '../validation/validation.ts'
import { parseAuthorization } from './authorization-header.ts'
import type { RateLimits, RateWindowState } from './rate-limit.ts'

/** The decision whether to admit an API request, based on its key. */
export type Admission =
  /** The request has no valid key. The caller learns only whether it sent a token. */
  | { readonly outcome: 'refused'; readonly credentials: 'missing' | 'invalid' }
  | { readonly outcome: 'limited' | 'admitted'; readonly caller: Caller; readonly windows: readonly RateWindowState[] }

export interface EventsAdmission {
  readonly admission: Admission
  /**
   * Returns the page in format version `apiVersion`. Call it only if the caller was admitted and its key has
   * `webhooks.read`. Throws `VALIDATION_FAILED` for an invalid query.
   */
  readonly page: (apiVersion: string) => Promise<EventTextsPage>
}

/** Decides whether to admit requests, based on their API key. */
export interface Admissions {
  /** Checks the value of an `Authorization` header and counts the request in the key's windows. */
  admit(authorization: string | null): Promise<Admission>
  /** Looks up the key of an admitted request again, without counting a request; undefined if it is not valid any more. */
  recheck(authorization: string | null): Promise<Caller | undefined>
  /** Like {@link Admissions.admit}, but also reads a page of events in the same round trip to the store. */
  admitToEvents(authorization: string | null, query: EventsQuery): Promise<EventsAdmission>
}

export interface AdmissionsOptions {
  readonly store: AdmissionStore
  readonly events: Pick<EventStore<unknown>, 'pageEvents'>
  readonly reading: EventReading
  readonly keyPrefix: string
  /** Whether to look up tokens that Callboard did not create. */
  readonly importedKeys: boolean
  readonly limits: RateLimits
  readonly horizonMs: number
  readonly rateLimiter: RateLimiter | undefined
}

export function createAdmissions(options: AdmissionsOptions): Admissions {
  const { reading, keyPrefix, importedKeys, limits, horizonMs, rateLimiter } = options
  const store = rateLimiter === undefined ? options.store : limitedBy(rateLimiter, options)

  const tokenHash = (authorization: string | null): Uint8Array | Promise<Uint8Array> | 'missing' | 'invalid' => {
    const credentials = parseAuthorization(authorization)
    if (credentials.kind !== 'token')
      return credentials.kind === 'malformed' && credentials.sent ? 'invalid' : 'missing'
    const { token } = credentials
    return isApiKey(token, keyPrefix) || (importedKeys && mayBeImported(token)) ? hashApiKey(token) : 'invalid'
  }

  return {
    async admit(authorization) {
      const hash = tokenHash(authorization)
      if (typeof hash === 'string') return { outcome: 'refused', credentials: hash }
      return fromStore(await store.admitRequest({ tokenHash: await hash, limits }))
    },

    async recheck(authorization) {
      const hash = tokenHash(authorization)
      return typeof hash === 'string' ? undefined : (await options.store.identify(await hash))?.caller
    },

    async admitToEvents(authorization, query) {
      const hash = tokenHash(authorization)
      if (typeof hash === 'string') return { admission: { outcome: 'refused', credentials: hash }, page: noPage }
      const request = { tokenHash: await hash, limits }
      const parsed = reading.parse(query)
      // A request with an invalid query counts towards the rate limits like any other request. Only a caller that may
      // read events learns what is wrong with the query.
      if (!parsed.ok)
        return {
          admission: fromStore(await store.admitRequest(request)),
          page: () => Promise.reject(validationFailed(parsed.issue)),
        }
      const { type, cursor, limit } = parsed.query
      // The cursor must belong to the key's account, which is known only once the store has looked up the key. So the
      // cursor is verified between reading and returning the page.
      const admission = await store.admitRequest({
        ...request,
        page: { type, after: cursor?.place, limit, horizonMs },
      })
      const page = admission.outcome === 'admitted' ? admission.page : undefined
      if (admission.outcome !== 'admitted' || page === undefined)
        return { admission: fromStore(admission), page: noPage }
      const { account, mode, scopes } = admission.caller
      const reader = { accountId: account.id, mode, personalData: keySeesPersonalData(scopes) }
      return {
        admission,
        async page(apiVersion) {
          await reading.verify(parsed.query, reader)
          return reading.render(page, parsed.query, { ...reader, apiVersion })
        },
      }
    },
  }
}

/**
 * The store's `admitRequest` for a platform with its own rate limiter. It looks up the key, counts the request with the
 * limiter, and then reads the page if one is requested.
 */
function limitedBy(
  limiter: RateLimiter,
  { store, events }: Pick<AdmissionsOptions, 'store' | 'events'>,
): Pick<AdmissionStore, 'admitRequest'> {
  return {
    async admitRequest({ tokenHash, limits, page }) {
      const known = await store.identify(tokenHash)
      if (known === undefined) return { outcome: 'unknown' }
      const { caller } = known
      const { account, keyId, mode, scopes } = caller
      const { admitted, windows } = await limiter.takeRequest({ accountId: account.id, keyId }, known.limits ?? limits)
      if (!admitted) return { outcome: 'limited', caller, windows }
      if (page === undefined || !scopes.includes('webhooks.read')) return { outcome: 'admitted', caller, windows }
      const reader = { accountId: account.id, mode, personalData: keySeesPersonalData(scopes) }
      return { outcome: 'admitted', caller, windows, page: await events.pageEvents({ ...page, ...reader }) }
    },
  }
}

function fromStore(admission: StoreAdmission): Admission {
  return admission.outcome === 'unknown' ? { outcome: 'refused', credentials: 'invalid' } : admission
}

async function noPage(): Promise<never> {
  throw new Error('only an admitted caller with the scope webhooks.read can get a page')
}
