import { PAGE, type Statement } from '../sql/statement.ts'

/**
 * Notes how far the feed has got, unless this was noted within the last minute or nothing was sequenced since. The time
 * is read after the snapshot was taken, so every event up to the position was published before it. Both columns rise
 * together: while the clock is behind the last note, none is added.
 */
export const noteFeedTime: Statement<unknown> = {
  name: 'note-feed-time',
  text: `
insert into callboard.feed_times (at, position)
select callboard.clock(), s.position from callboard.sequencer s
left join lateral (select t.at, t.position from callboard.feed_times t order by t.at desc limit 1) l on true
where l.at is null or (s.position > l.position and callboard.clock() >= l.at + interval '1 minute')
on conflict do nothing`,
}

/** Removes the notes that are no longer needed if no event is older than the horizon. */
export const retainFeedTimes: Statement<unknown, { horizonMs: number }> = {
  name: 'retain-feed-times',
  text: `
delete from callboard.feed_times where at < (
  select t.at from callboard.feed_times t
  where t.at < callboard.clock() - :horizonMs::float8 * interval '1 ms' order by t.at desc limit 1
)`,
}

export interface FeedRange {
  /** Everything up to this position was published before `from`. */
  after: string
  /** From this position on, everything was sequenced more than ten minutes after `to`; null if nothing was. */
  before: string | null
}

interface FeedRangeParameters {
  /** Whose share of the pool this read takes. */
  readonly accountId: string
  readonly from: string | null
  readonly to: string | null
}

/** The positions of the events that were published at `from` or later and before `to`, and of a few others. */
export const feedRange: Statement<FeedRange, FeedRangeParameters> = {
  ...PAGE,
  name: 'feed-range',
  text: `
select ${positionBefore(':from::timestamptz')}::text as after, (
    select (t.position + 1)::text from callboard.feed_times t
    where t.at >= :to::timestamptz + interval '10 minutes' order by t.at limit 1
  ) as before`,
}

/** SQL for a position in the feed up to which everything was published before `time`; 0 if none is known. */
export function positionBefore(time: string): string {
  return `coalesce((
    select t.position from callboard.feed_times t where t.at < ${time} order by t.at desc limit 1
  ), 0)`
}
