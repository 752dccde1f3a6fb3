import { FEED_OVERLAP_MS } from '@callboard/core/store'
import { positionBefore } from '../sequencing/feed-times.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import type { Statement } from '../sql/statement.ts'
import type { EventPageRow } from './event-page.ts'

/** A page of the feed to read. Without a `position` and a `time`, the page starts at the end of the feed. */
export interface FeedAsk {
  readonly account_id: string
  readonly mode: string
  /** One per line; null for all types. */
  readonly types: string | null
  readonly rows: number
  readonly personal_data: boolean
  readonly horizon_ms: number
  readonly time: string | null
  /** The place after which to continue, its generation, and its event with the time of its publishing. */
  readonly position: number | null
  readonly generation: string | null
  readonly event_id: string | null
  readonly published_at: string | null
}

/** The end of a feed: the last position, and its event; null if retention has removed that event, or there is none. */
export interface FeedEndRow {
  /** The place in the list of pages, from 1. */
  n: number
  end_position: number
  end_event_id: string | null
  end_published_at: number | null
}

/** Where a page starts, and what only the primary knows. */
export interface FeedStartRow extends FeedEndRow {
  /** Null if the server's present run is unknown. */
  generation: string | null
  start: number
  truncated: boolean
}

/** A page, with one line per event; null if it is empty. */
export interface FeedPageRow extends Omit<EventPageRow, 'occurred'> {
  positions: string | null
  /** Milliseconds since 1970. */
  published: string | null
}

const MILLISECONDS = (time: string): string => `floor(extract(epoch from ${time}) * 1000)::float8`

const OF_ASKED = { account_id: 'asked.account_id', mode: 'asked.mode' }

/**
 * SQL for the first rows of the feed of row `asked` after a position and up to its end `e`, to select from or to join
 * laterally. At the end, nothing is looked up.
 *
 * The rows of a type are those after its key, and are compared afterwards, so that only the index by type has their
 * order. With plain comparisons, the planner searched the whole account for a type that it took to be frequent.
 */
const rowsAfter = (position: string, rows: string): string => `(
  select f.position, f.type, f.event_id from (
    (
      select x.position, x.type, x.event_id from callboard.feed x
      where asked.types is null and ${position} < e.position
        and x.account_id = asked.account_id and x.mode = asked.mode and x.position > ${position}
      order by x.account_id, x.mode, x.position limit ${rows}
    )
    union all
    select x.position, x.type, x.event_id
    from unnest(case when ${position} < e.position then string_to_array(asked.types, E'\\n') end) wanted (type)
    cross join lateral (
      select x.account_id, x.mode, x.position, x.type, x.event_id from callboard.feed x
      where (x.account_id, x.mode, x.type, x.position) > (asked.account_id, asked.mode, wanted.type, ${position})
      order by x.account_id, x.mode, x.type, x.position limit ${rows}
    ) x
    where x.account_id = asked.account_id and x.mode = asked.mode and x.type = wanted.type
  ) f
  order by f.position limit ${rows}
)`

/**
 * SQL for the end of the feed of row `asked`: where the feed begins, its last position, and the event there. Most readers
 * have had that event already, and their place says when it was published.
 */
const END = `
  select kept.after, coalesce(last.position, kept.after) as position, last.event_id,
    case when last.event_id = asked.event_id then asked.published_at
      else (select x.published_at from ${eventByKey('asked.account_id', 'asked.mode', 'last.event_id')} x)
    end as published_at
  from (select coalesce((select r.after from ${rowByKey('feed_starts', OF_ASKED)} r), 0) as after offset 0) kept
  left join lateral (
    select f.position, f.event_id from (
      select x.position, x.event_id from callboard.feed x
      where x.account_id = asked.account_id and x.mode = asked.mode
      order by x.account_id desc, x.mode desc, x.position desc limit 1
    ) f
    where f.position > kept.after
  ) last on true`

/** SQL that tests whether row `r` of `server_runs` was inserted here. If not, a dump has brought it along. */
const IS_OWN = 'r.xmin = r.inserted::xid'

/**
 * SQL that finds where the page of row `asked` starts, with its end `e`. Only the primary can tell: a replica has no
 * unlogged table.
 *
 * The place of a cursor is lost if the run that gave it out is unknown, or if its event is not at its position although
 * retention has not got that far. Each step ends with `offset 0`, so that its look-ups run once and not wherever their
 * result is used.
 */
const START = `
  select s.position as start, s.truncated
  from (
    select ${positionBefore(`callboard.clock() - asked.horizon_ms * interval '1 ms'`)} as floor,
      asked.position is not null and (
        not exists (select from callboard.server_runs r where r.id = asked.generation and ${IS_OWN})
        or (
          asked.event_id is not null and asked.position > e.after
          and (asked.position, asked.event_id) is distinct from (e.position, e.event_id) and not exists (
            select from ${rowByKey('feed', { ...OF_ASKED, position: 'asked.position' })} f
            where f.event_id = asked.event_id
          )
        )
      ) as is_lost
    offset 0
  ) p
  cross join lateral (
    select case
      when asked.time is not null then ${positionBefore('asked.time')}
      when asked.position is null then e.position
      when p.is_lost then ${positionBefore(`asked.published_at - ${FEED_OVERLAP_MS} * interval '1 ms'`)}
      else asked.position
    end as wanted
    offset 0
  ) w
  cross join lateral (
    select greatest(w.wanted, p.floor) as position,
      p.is_lost or w.wanted < e.after or (w.wanted < p.floor and exists (
        select from callboard.feed x
        where x.account_id = asked.account_id and x.mode = asked.mode and x.position > w.wanted and x.position <= p.floor
      )) as truncated
    offset 0
  ) s`

/** SQL for the page of row `asked` that starts after a position. */
const page = (position: string): string => `
  select string_agg(f.position::text, E'\\n') as positions, string_agg(f.event_id::text, E'\\n') as ids,
    string_agg(f.type, E'\\n') as types, string_agg(f.published, E'\\n') as published,
    string_agg(f.body, E'\\n') as bodies, string_agg(f.patch, E'\\n') as patches,
    string_agg(f.fingerprint, E'\\n') as fingerprints
  from (
    select f.position, f.event_id, f.type, ${MILLISECONDS('e.published_at')}::text as published, e.body,
      case when asked.personal_data then coalesce(e.patch, '') end as patch, e.fingerprint
    from ${rowsAfter(position, 'asked.rows')} f
    cross join lateral ${eventByKey('asked.account_id', 'asked.mode', 'f.event_id')} e
    order by f.position
  ) f`

const COLUMNS: Readonly<Record<keyof FeedAsk, string>> = {
  account_id: 'text',
  mode: 'text',
  types: 'text',
  rows: 'int',
  personal_data: 'boolean',
  horizon_ms: 'float8',
  time: 'timestamptz',
  position: 'bigint',
  generation: 'uuid',
  event_id: 'uuid',
  published_at: 'timestamptz',
}

/**
 * The pages, with the columns of {@link FeedAsk} and `n`. The selects hide the arrays' lengths from the planner, which
 * otherwise plans each call anew, because a plan for one page looks cheaper than the generic plan.
 */
const ASKED = `unnest(
  ${Object.entries(COLUMNS)
    .map(([name, type]) => `(select :reads.${name}::${type}[])`)
    .join(', ')}
) with ordinality asked (${[...Object.keys(COLUMNS), 'n'].join(', ')})`

const GENERATION = `generation as materialized (
  select r.id::text as id from callboard.server_runs r
  where r.started_at = pg_postmaster_start_time() and ${IS_OWN}
)`

const END_COLUMNS = `asked.n::int as n, e.position::float8 as end_position, e.event_id::text as end_event_id,
  ${MILLISECONDS('e.published_at')} as end_published_at`

const START_COLUMNS = `${END_COLUMNS}, (select g.id from generation g) as generation, s.start::float8 as start,
  s.truncated`

/** Finds where pages start, and whether an event follows. */
export const feedStarts: Statement<
  FeedStartRow & { has_news: boolean },
  { readonly accountId: string; readonly reads: readonly FeedAsk[] }
> = {
  page: true,
  name: 'feed-starts',
  text: `
with ${GENERATION}
select ${START_COLUMNS}, exists (select from ${rowsAfter('s.start', '1')} f) as has_news
from ${ASKED}
cross join lateral (${END}) e
cross join lateral (${START}) s`,
}

/** Finds where pages start, and reads them. */
export const feedPages: Statement<
  FeedStartRow & FeedPageRow,
  { readonly accountId: string; readonly reads: readonly FeedAsk[] }
> = {
  page: true,
  name: 'feed-pages',
  text: `
with ${GENERATION}
select ${START_COLUMNS}, page.*
from ${ASKED}
cross join lateral (${END}) e
cross join lateral (${START}) s
cross join lateral (${page('s.start')}) page`,
}

/** Reads the pages that continue after each \`position\`, without a check. A replica can run it. */
export const feedPagesAfter: Statement<
  FeedEndRow & FeedPageRow,
  { readonly accountId: string; readonly reads: readonly FeedAsk[] }
> = {
  page: true,
  name: 'feed-pages-after',
  text: `
select ${END_COLUMNS}, page.*
from ${ASKED}
cross join lateral (${END}) e
cross join lateral (${page('asked.position')}) page`,
}

/** Notes the present run of the server, as a pass over the outbox does. Replaces a row that a dump brought along. */
export const noteRun: Statement<unknown> = {
  name: 'note-run',
  text: `
insert into callboard.server_runs as r (started_at, id) values (pg_postmaster_start_time(), gen_random_uuid())
on conflict (started_at) do update set id = excluded.id, inserted = excluded.inserted where not (${IS_OWN})`,
}
