import { type EventPageRow, eventPage, isOfType } from '../reading/event-page.ts'
import type { Statement } from '../sql/statement.ts'

/** The verdict on a request, parsed from {@link AdmitRow.verdict}. */
export interface Verdict {
  key_id: string
  account_id: string
  account_name: string
  mode: 'live' | 'test'
  scopes: string[]
  api_version: string
  /** The key's own windows; null: the platform's. */
  seconds: number[] | null
  limits: number[] | null
  /** The time of the verdict, in seconds since 1970. */
  now: number
  admitted: boolean
  /** Start and count of each window, including this request if it was admitted. */
  counts: number[]
}

export interface AdmitRow {
  /** The request's place in the list, from 1. */
  place: number
  /**
   * A {@link Verdict} as JSON. A dozen columns would cost more, and type parsers set by the platform would convert
   * them.
   */
  verdict: string
}

export interface AdmitParameters {
  readonly requests: readonly AdmitRequest[]
}

export interface AdmitRequest {
  /** In hexadecimal. */
  readonly token_hash: string
  /** The lengths and limits of the three windows that apply to a key without windows of its own. */
  readonly seconds: readonly number[]
  readonly limits: readonly number[]
}

const ADMITTED = `callboard.admit_requests(
    :requests.token_hash::text[], :requests.seconds::int[], :requests.limits::int[]
  ) judged`

/** A row for each request whose key is known, in any order. */
export const admit: Statement<AdmitRow, AdmitParameters> = {
  name: 'admit',
  text: `select judged.place, judged.verdict from ${ADMITTED}`,
}

export type AdmitToEventsRow = AdmitRow & EventPageRow

export interface PageRequest extends AdmitRequest {
  readonly after_at: string
  readonly after_id: string
  readonly rows: number
  readonly horizon_ms: number
}

// Each parameter of a page is read from an array, so that the planner does not see its value. Otherwise the planner
// would plan every page anew, because a plan for these values looks cheaper than the generic plan. Planning takes 500
// microseconds; the page itself takes 130.
const toEvents = (type: string, filter: string): string => `
select judged.place, judged.verdict, page.*
from (
  select judged.*${type},
    (:requests.after_at::timestamptz[])[judged.place] as after_at,
    (:requests.after_id::uuid[])[judged.place] as after_id,
    (:requests.rows::int[])[judged.place] as rows,
    judged.clock - (:requests.horizon_ms::float8[])[judged.place] * interval '1 ms' as oldest
  from ${ADMITTED}
) judged cross join lateral (${eventPage({
  from: 'judged',
  limit: 'judged.rows',
  personalData: `'people.read' = any (judged.scopes)`,
  filter: `judged.admitted and 'webhooks.read' = any (judged.scopes)${filter}`,
})}) page`

/** Admits a request and reads its page of events, in one round trip. */
export const admitToEvents: Statement<AdmitToEventsRow, { readonly requests: readonly PageRequest[] }> = {
  name: 'admit-to-events',
  text: toEvents('', ''),
}

export const admitToEventsOfType: Statement<
  AdmitToEventsRow,
  { readonly requests: readonly (PageRequest & { readonly type: string })[] }
> = {
  name: 'admit-to-events-of-type',
  text: toEvents(', (:requests.type::text[])[judged.place] as type', ` and ${isOfType('judged.type')}`),
}

export type IdentifyRow = Pick<
  Verdict,
  'key_id' | 'account_id' | 'account_name' | 'mode' | 'scopes' | 'api_version' | 'seconds' | 'limits'
>

export const identify: Statement<IdentifyRow, { readonly tokenHash: Uint8Array }> = {
  name: 'identify',
  text: `
with k as (
  select k.*, a.name as account_name
  from callboard.api_keys k join callboard.accounts a on a.id = k.account_id and a.deleted_at is null
  where k.token_hash = :tokenHash and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > callboard.clock())
),
touched as (
  update callboard.api_keys u set last_used_at = callboard.clock() from k
  where u.account_id = k.account_id and u.id = k.id
    and (k.last_used_at is null or k.last_used_at < callboard.clock() - interval '1 minute')
)
select k.id::text as key_id, k.account_id, k.account_name, k.mode, k.scopes, k.api_version,
  k.window_seconds as seconds, k.window_limits as limits
from k`,
}
