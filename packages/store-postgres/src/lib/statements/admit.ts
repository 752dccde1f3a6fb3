import { type EventPageRow, eventPage } from './event-page.ts'
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
  /** Start and count of each window: after this request, if it was admitted; null for a key that nothing is counted for yet. */
  taken: number[] | null
  found: number[] | null
}

export interface AdmitRow {
  /** A {@link Door} as JSON: a dozen columns cost more, and nobody else's type parsers see it. */
  door: string
}

// Key and three windows in one statement. The clock is read once: each call of callboard.clock() is a query of its own.
// A request that queued on the row's lock carries an older second, hence greatest(): windows never move back.
// An update, not an insert on conflict: 80 µs of the server against 118. A key's first request finds no row: openWindows.
const admission = (asked = ''): string => `
with k as materialized (
  select w.*, floor(w.now / w.s1)::bigint * w.s1 as start1, floor(w.now / w.s2)::bigint * w.s2 as start2, floor(w.now / w.s3)::bigint * w.s3 as start3
  from (
    select k.id, k.account_id, k.mode, k.scopes, k.last_used_at, k.window_seconds, k.window_limits, a.name, c.clock, date_part('epoch', c.clock) as now,
      (coalesce(k.window_seconds, $2::int[]))[1] as s1, (coalesce(k.window_seconds, $2::int[]))[2] as s2, (coalesce(k.window_seconds, $2::int[]))[3] as s3,
      (coalesce(k.window_limits, $3::int[]))[1] as l1, (coalesce(k.window_limits, $3::int[]))[2] as l2, (coalesce(k.window_limits, $3::int[]))[3] as l3${asked}
    from (select callboard.clock() as clock offset 0) c
    cross join callboard.api_keys k join callboard.accounts a on a.id = k.account_id and a.deleted_at is null
    where k.token_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > c.clock)
    offset 0
  ) w
),
n as (
  update callboard.rate_windows r set
    used1 = case when k.start1 > r.start1 then 1 else r.used1 + 1 end, start1 = greatest(r.start1, k.start1),
    used2 = case when k.start2 > r.start2 then 1 else r.used2 + 1 end, start2 = greatest(r.start2, k.start2),
    used3 = case when k.start3 > r.start3 then 1 else r.used3 + 1 end, start3 = greatest(r.start3, k.start3)
  from k where r.key_id = k.id
    and (k.start1 > r.start1 or r.used1 < k.l1) and (k.start2 > r.start2 or r.used2 < k.l2) and (k.start3 > r.start3 or r.used3 < k.l3)
  returning r.start1, r.used1, r.start2, r.used2, r.start3, r.used3
),
touched as (
  update callboard.api_keys u set last_used_at = k.clock
  from k, n where u.account_id = k.account_id and u.id = k.id and (k.last_used_at is null or k.last_used_at < k.clock - interval '1 minute')
),
door as materialized (
  select k.*, n.start1 is not null as admitted,
    json_build_object('key_id', k.id, 'account_id', k.account_id, 'account_name', k.name, 'mode', k.mode, 'scopes', k.scopes,
      'seconds', k.window_seconds, 'limits', k.window_limits, 'now', k.now,
      'taken', case when n.start1 is not null then array[n.start1, n.used1, n.start2, n.used2, n.start3, n.used3] end,
      'found', case when r.key_id is not null then array[r.start1, r.used1, r.start2, r.used2, r.start3, r.used3] end)::text as door
  from k left join n on true
    left join callboard.rate_windows r on r.key_id = case when n.start1 is null then k.id end
)`

export const admit: Statement<AdmitRow> = { name: 'admit', text: `${admission()}\nselect door from door` }

/** A key's row of windows, all of them long over: for its first request, and for that after a crash has emptied the table. */
export const openWindows: Statement<never> = {
  name: 'open-windows',
  text: `insert into callboard.rate_windows values ($1::uuid, 0, 0, 0, 0, 0, 0) on conflict do nothing`,
}

export type AdmitToEventsRow = AdmitRow & EventPageRow

// What is asked for comes out of k, and the limit out of a select, where the planner cannot see it: it would take the plan for
// these values to be cheaper than the one for any, and plan anew for every page (500 µs; the page itself takes 130).
const toEvents = (asked: string, filter: string): string => `${admission(`,
      $4::timestamptz as after_at, $5::uuid as after_id, c.clock - $7::float8 * interval '1 ms' as oldest${asked}`)}
select door.door, page.* from door cross join lateral (${eventPage({
  from: 'door',
  limit: '$6',
  personalData: `'people.read' = any (door.scopes)`,
  filter: `door.admitted and 'webhooks.read' = any (door.scopes)${filter}`,
})}) page`

/** Admission and page in one round trip. */
export const admitToEvents: Statement<AdmitToEventsRow> = { name: 'admit-to-events', text: toEvents('', '') }

export const admitToEventsOfType: Statement<AdmitToEventsRow> = {
  name: 'admit-to-events-of-type',
  text: toEvents(', $8::text as type', ' and e.type = door.type'),
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
