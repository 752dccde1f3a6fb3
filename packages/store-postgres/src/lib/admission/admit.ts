import { type EventPageRow, eventPage, isOfType } from '../reading/event-page.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { indented } from '../sql/indented.ts'
import type { Statement } from '../sql/statement.ts'
import { countRequests, createWindows, startWindows } from './count-requests.ts'

/** The decision on a request, parsed from {@link AdmitRow.decision}. */
export interface Decision {
  key_id: string
  account_id: string
  account_name: string
  mode: 'live' | 'test'
  scopes: string[]
  api_version: string
  /** The key's own windows; null: the platform's. */
  seconds: number[] | null
  limits: number[] | null
  /** The time of the decision, in seconds since 1970. */
  now: number
  admitted: boolean
  /** Start and count of each window, including this request if it was admitted. */
  counts: number[]
}

export interface AdmitRow {
  /** The request's place in the list, from 1. */
  place: number
  /**
   * A {@link Decision} as JSON. A dozen columns would cost more, and type parsers set by the platform would convert
   * them.
   */
  decision: string
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
  text: `select judged.place, judged.decision from ${ADMITTED}`,
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
select judged.place, judged.decision, page.*
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
  Decision,
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

const KEY = { accountId: 'k.account_id', keyId: 'k.id' }
const COUNT_ONE = countRequests({ key: KEY, count: '1', limit: (window) => `k.limits[${window}]` })

/**
 * Admits or refuses several requests, each identified by the hash of its token in hexadecimal, and counts each in its
 * key's windows. Each request also passes three window lengths, in seconds, and three limits. They apply if its key has
 * none of its own.
 *
 * Returns no row for a key that is unknown, revoked or expired, or whose account is deleted. Every other request gets a
 * row: its place in the list, the columns needed to read a page for it, and the decision as JSON. A refusal writes
 * nothing. Rows are locked in the order of the keys, as in `take_requests`.
 *
 * One request costs the server 165 microseconds; eight requests in one call cost 40 each. One generic plan serves any
 * number of requests, because planning took 70 microseconds. That plan must contain no scan, so it selects single rows
 * laterally: the planner could turn a plain join into a scan.
 */
export const admitRequestsFunction: DatabaseFunction = {
  name: 'admit_requests',
  text: `
create or replace function callboard.admit_requests(p_token_hash text[], p_seconds int[], p_limits int[])
returns table (place int, account_id text, mode text, scopes text[], admitted boolean, clock timestamptz, decision text)
language plpgsql rows 8 set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  now float8;
  k record;
  w callboard.rate_windows;
  existed boolean;
  s1 bigint;
  s2 bigint;
  s3 bigint;
begin
  clock := callboard.clock();
  now := date_part('epoch', clock);
  <<request>>
  for k in
    select asked.place, known.*,
      coalesce(known.window_seconds, p_seconds[3 * asked.place - 2 : 3 * asked.place]) as seconds,
      coalesce(known.window_limits, p_limits[3 * asked.place - 2 : 3 * asked.place]) as limits
    from unnest(p_token_hash) with ordinality asked (token_hash, place)
    cross join lateral (
      select key.id, key.account_id, key.mode, key.scopes, key.api_version, key.last_used_at, key.window_seconds,
        key.window_limits, a.name
      from callboard.api_keys key join callboard.accounts a on a.id = key.account_id and a.deleted_at is null
      where key.token_hash = decode(asked.token_hash, 'hex') and key.revoked_at is null
        and (key.expires_at is null or key.expires_at > admit_requests.clock)
      limit 1
    ) known
    order by known.id, asked.place
  loop
    ${indented(
      4,
      startWindows((window) => `k.seconds[${window}]`),
    )}
    existed := false;
    loop
      ${indented(6, COUNT_ONE)}
      returning r.* into w;
      admitted := found;
      exit when admitted;
      select r.* from callboard.rate_windows r
      where r.account_id = k.account_id and r.key_id = k.id into w;
      -- Another request may have created the row after the update missed it. If so, there may be room.
      exit when found and existed;
      existed := found;
      if not existed then
        -- Deleting the account waits for this lock, and then deletes the windows with the key. A key that is gone or
        -- is being deleted gets no windows.
        perform from callboard.api_keys key where key.account_id = k.account_id and key.id = k.id
        for key share skip locked;
        continue request when not found;
        ${createWindows(KEY)}
      end if;
    end loop;
    if admitted and (k.last_used_at is null or k.last_used_at < clock - interval '1 minute') then
      update callboard.api_keys u set last_used_at = clock
      where u.account_id = k.account_id and u.id = k.id
        and (u.last_used_at is null or u.last_used_at < clock - interval '1 minute');
    end if;
    place := k.place;
    account_id := k.account_id;
    mode := k.mode;
    scopes := k.scopes;
    decision := json_build_object(
      'key_id', k.id, 'account_id', k.account_id, 'account_name', k.name, 'mode', k.mode, 'scopes', k.scopes,
      'api_version', k.api_version, 'seconds', k.window_seconds, 'limits', k.window_limits, 'now', now, 'admitted', admitted,
      'counts', array[w.start1, w.used1, w.start2, w.used2, w.start3, w.used3]
    );
    return next;
  end loop;
end $$`,
}
