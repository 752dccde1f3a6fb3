import type { DatabaseFunction } from '../sql/database-function.ts'
import type { Statement } from '../sql/statement.ts'
import type { DraftRow } from './draft-row.ts'
import { storeFresh } from './store-events.ts'

export interface PublishEventsParameters {
  readonly drafts: readonly DraftRow[]
  /**
   * The heads of all drafts, joined by U+001F; likewise the three fields below. An array would be slower, because each
   * quote in the JSON would have to be escaped and parsed again. An empty patch means that the draft has none.
   */
  readonly heads: string
  readonly middles: string
  readonly tails: string
  readonly patches: string
  readonly channel: string | null
  readonly within: boolean
}

/**
 * Stores several drafts to which the publisher gave neither an id nor an idempotency key. Returns a row for each draft,
 * in their order, or no row at all if nothing was stored, or one row with `UNPROVEN`.
 */
export const publishEvents: Statement<{ sequence: number }, PublishEventsParameters> = {
  name: 'publish-events',
  text: `
select sequence::float8 as sequence, (select pg_notify(:channel, '')::text where :channel::text is not null) as notified
from callboard.publish_events(
  :drafts.account_id::text[], :drafts.mode::text[], :drafts.id::uuid[], :drafts.type::text[],
  :drafts.occurred_at::timestamptz[], :drafts.subject_type::text[], :drafts.subject_id::text[],
  :drafts.sequence::bigint[],
  string_to_array(:heads::text, chr(31)), string_to_array(:middles::text, chr(31)),
  string_to_array(:tails::text, chr(31)), string_to_array(:patches::text, chr(31), ''),
  :drafts.fingerprint::text[], :drafts.person_id::text[], :drafts.trace::text[], :within::boolean
) as sequence`,
}

/**
 * Stores several events that have new ids and no idempotency keys, and returns their sequences in the order given.
 * Returns no row and changes nothing when an account does not exist. If `p_within` is true and no transaction of the
 * caller's is proven yet, returns only -1 and stores nothing; see `inTransactionFunction`.
 */
export const publishEventsFunction: DatabaseFunction = {
  name: 'publish_events',
  text: `
create or replace function callboard.publish_events(
  p_account_id text[], p_mode text[], p_id uuid[], p_type text[], p_occurred_at timestamptz[],
  p_subject_type text[], p_subject_id text[], p_sequence bigint[],
  p_head text[], p_middle text[], p_tail text[], p_patch text[], p_fingerprint text[], p_person_id text[],
  p_trace text[], p_within boolean
) returns setof bigint language plpgsql as $$
begin
  if p_within and not callboard.in_transaction() then
    return next -1;
    return;
  end if;
  return query
  with input as materialized (
    select d.*, null::text as idempotency_key, null::text as digest
    from unnest(p_account_id, p_mode, p_id, p_type, p_occurred_at, p_subject_type, p_subject_id, p_sequence,
      p_head, p_middle, p_tail, p_patch, p_fingerprint, p_person_id, p_trace)
      with ordinality as d(account_id, mode, id, type, occurred_at, subject_type, subject_id, sequence,
        head, middle, tail, patch, fingerprint, person_id, trace, n)
  ),
  accounts as materialized (
    select i.account_id, to_json(a.name)::text as name
    from (select distinct account_id from input) i
    left join callboard.accounts a on a.id = i.account_id and a.deleted_at is null
  ),
  fresh as materialized (
    select i.*, a.name from input i join accounts a on a.account_id = i.account_id
    where not exists (select from accounts x where x.name is null)
  ),
  ${storeFresh('').trim()}
  select d.number from numbered d order by d.n;
end $$`,
}
