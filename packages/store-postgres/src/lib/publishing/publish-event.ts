import type { Statement } from '../sql/statement.ts'
import type { DraftRow } from './draft-row.ts'

export interface PublishEventParameters {
  readonly draft: DraftRow
  /** The channel to notify; null for none. */
  readonly channel: string | null
  /** Whether the event must be stored in a transaction of the caller's. */
  readonly within: boolean
}

/** Returned in place of a sequence if the event must be stored in a transaction and none is proven yet. */
export const UNPROVEN = -1

/**
 * Stores one event and returns its sequence, or {@link UNPROVEN}. Returns null and changes nothing if the event exists already or is
 * refused; the statement `publish` then finds out which.
 */
export const publishEvent: Statement<{ sequence: number | null }, PublishEventParameters> = {
  name: 'publish-event',
  text: `
select callboard.publish_event(
    :draft.account_id::text, :draft.mode::text, :draft.id::uuid, :draft.type::text, :draft.occurred_at::timestamptz,
    :draft.subject_type::text, :draft.subject_id::text, :draft.sequence::bigint,
    :draft.idempotency_key::text, split_part(:draft.digests::text, ' ', 1),
    :draft.head::text, :draft.middle::text, :draft.tail::text, :draft.patch::text, :draft.fingerprint::text,
    :draft.person_id::text, :draft.own_id::boolean, :draft.trace::text, :within::boolean
  )::float8 as sequence,
  (select pg_notify(:channel, '')::text where :channel::text is not null) as notified`,
}

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
 * in their order, or no row at all if nothing was stored, or one row with {@link UNPROVEN}.
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
