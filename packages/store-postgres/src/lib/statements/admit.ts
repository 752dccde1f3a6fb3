import { type EventPageRow, eventPage, ofType } from './event-page.ts'
import type { Statement } from './statement.ts'

/** What became of a request at the door, as {@link AdmitRow.door} holds it. */
export interface Door {
  key_id: string
  account_id: string
  account_name: string
  mode: 'live' | 'test'
  scopes: string[]
  /** The key's own windows; null: the platform's. */
  seconds: number[] | null
  limits: number[] | null
  /** Seconds since the epoch when the request was judged. */
  now: number
  admitted: boolean
  /** Start and count of each window: with this request, if it was admitted. */
  counts: number[]
}

export interface AdmitRow {
  /** Which of the requests, from 1. */
  place: number
  /** A {@link Door} as JSON: a dozen columns cost more, and nobody else's type parsers see it. */
  door: string
}

const ADMITTED = 'callboard.admit_requests($1::text[], $2::int[], $3::int[]) door'

/** A row for each request (migration 0009) whose key is known, in any order. */
export const admit: Statement<AdmitRow> = { name: 'admit', text: `select door.place, door.door from ${ADMITTED}` }

export type AdmitToEventsRow = AdmitRow & EventPageRow

// A request's page is asked for by its place in each array, where the planner sees no value: it would take the plan for these values to
// be cheaper than the one for any, and plan anew for every page (500 µs; the page itself takes 130).
const toEvents = (asked: string, filter: string): string => `
select door.place, door.door, page.*
from (
  select door.*, ($4::timestamptz[])[door.place] as after_at, ($5::uuid[])[door.place] as after_id, ($6::int[])[door.place] as rows,
    door.clock - ($7::float8[])[door.place] * interval '1 ms' as oldest${asked}
  from ${ADMITTED}
) door cross join lateral (${eventPage({
  from: 'door',
  limit: 'door.rows',
  personalData: `'people.read' = any (door.scopes)`,
  filter: `door.admitted and 'webhooks.read' = any (door.scopes)${filter}`,
})}) page`

/** Admission and page in one round trip. */
export const admitToEvents: Statement<AdmitToEventsRow> = { name: 'admit-to-events', text: toEvents('', '') }

export const admitToEventsOfType: Statement<AdmitToEventsRow> = {
  name: 'admit-to-events-of-type',
  text: toEvents(', ($8::text[])[door.place] as type', ` and ${ofType('door.type')}`),
}

export interface IdentifyRow {
  key_id: string
  account_id: string
  account_name: string
  mode: 'live' | 'test'
  scopes: string[]
  seconds: number[] | null
  limits: number[] | null
}

export const identify: Statement<IdentifyRow> = {
  name: 'identify',
  text: `
with k as (
  select k.* , a.name as account_name
  from callboard.api_keys k join callboard.accounts a on a.id = k.account_id and a.deleted_at is null
  where k.token_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > callboard.clock())
),
touched as (
  update callboard.api_keys u set last_used_at = callboard.clock()
  from k where u.account_id = k.account_id and u.id = k.id and (k.last_used_at is null or k.last_used_at < callboard.clock() - interval '1 minute')
)
select k.id::text as key_id, k.account_id, k.account_name, k.mode, k.scopes, k.window_seconds as seconds, k.window_limits as limits from k`,
}
