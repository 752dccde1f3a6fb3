import type { DatabaseFunction } from '../sql/database-function.ts'
import { indented } from '../sql/indented.ts'
import type { Statement } from '../sql/statement.ts'
import { countRequests, createWindows, startWindows, WINDOW_COLUMNS } from './count-requests.ts'

export interface KeyRequests {
  readonly account: string
  /** UUID of the key. */
  readonly key: string
  readonly asked: number
  /** Three windows. */
  readonly seconds: readonly number[]
  readonly limits: readonly number[]
}

/**
 * Counts requests of several keys, which must be in ascending order. Returns a row for each key, as one JSON array,
 * because eight columns cost more. The array has the time of the decision in seconds since 1970, the number of admitted
 * requests, and the start and count of each window afterwards.
 */
export const takeRequests: Statement<{ taken: string }, { readonly keys: readonly KeyRequests[] }> = {
  name: 'take-requests',
  text: `
select json_build_array(now, taken, start1, used1, start2, used2, start3, used3)::text as taken
from callboard.take_requests(
  :keys.account::text[], :keys.key::uuid[], :keys.asked::int[], :keys.seconds::int[], :keys.limits::int[]
)`,
}

const KEY = { accountId: 'p_account_id[i]', keyId: 'p_key_id[i]' }
const ofKey = (parameter: string) => (window: number) => `${parameter}[3 * i - ${3 - window}]`

/**
 * Counts requests of several keys: as many of each key's requests as its windows have room for. Returns that number and
 * the new state of the windows. For each key, the caller passes three window lengths, in seconds, and three limits.
 * Keys must be in the same order in every call, because rows are locked in the order given.
 *
 * Sequential scans are off: a session that planned this function while the table was small kept using a scan, and at
 * 1,000 keys it fell from 14,000 to 4,000 requests/s. Separate steps are faster than one statement for all keys: 0.25
 * ms instead of 0.5 for one key, and 0.45 ms instead of 0.62 for eight.
 */
export const takeRequestsFunction: DatabaseFunction = {
  name: 'take_requests',
  text: `
create or replace function callboard.take_requests(
  p_account_id text[], p_key_id uuid[], p_asked int[], p_seconds int[], p_limits int[]
)
returns table (
  now float8, taken int, start1 bigint, used1 int, start2 bigint, used2 int, start3 bigint, used3 int
) language plpgsql set enable_seqscan = off as $$
declare
  part int;
  s1 bigint;
  s2 bigint;
  s3 bigint;
  existed boolean;
begin
  now := date_part('epoch', callboard.clock());
  for i in 1 .. cardinality(p_key_id) loop
    ${indented(4, startWindows(ofKey('p_seconds')))}
    taken := 0;
    existed := false;
    loop
      part := p_asked[i] - taken;
      -- Usually there is room for all requests. Otherwise, their number is halved until there is room for that many.
      while part > 0 loop
        ${indented(8, countRequests({ key: KEY, count: 'part', limit: ofKey('p_limits') }))}
        returning ${WINDOW_COLUMNS} into start1, used1, start2, used2, start3, used3;
        if found then
          taken := taken + part;
          part := least(part, p_asked[i] - taken);
        else
          part := part / 2;
        end if;
      end loop;
      -- used1 is null after an update that found no room.
      exit when used1 is not null;
      select ${WINDOW_COLUMNS} into start1, used1, start2, used2, start3, used3
      from callboard.rate_windows r
      where r.account_id = p_account_id[i] and r.key_id = p_key_id[i];
      -- Another request may have created the row after the update missed it. If so, there may be room.
      exit when found and (existed or taken > 0);
      existed := found;
      if not existed then
        ${createWindows(KEY)}
      end if;
    end loop;
    return next;
  end loop;
end $$`,
}
