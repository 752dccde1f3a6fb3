import { FEED_OVERLAP_MS } from '@callboard/core/store'
import { positionBefore } from '../sequencing/feed-times.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import type { Statement } from '../sql/statement.ts'

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

/** Where a page starts, and what the primary knows of it. */
export interface FeedStartRow {
  /** The place in the list of pages, from 1. */
  n: number
  /** Null if the feed's history has no name yet. */
  generation: string | null
  start: number
  truncated: boolean
  /** The feed's end: the last position, and its event; null if retention has removed that event, or there is none. */
  end_position: number
  end_event_id: string | null
  end_published_at: number | null
  /** Whether an event follows the start. */
  has_news: boolean
}

/** A page, with one line per event; null if it is empty. */
export interface FeedPageRow {
  positions: string | null
  ids: string | null
  types: string | null
  /** Milliseconds since 1970. */
  published: string | null
  bodies: string | null
  patches: string | null
  fingerprints: string | null
}

const MILLISECONDS = (time: string): string => `floor(extract(epoch from ${time}) * 1000)::float8`

const OF_ASKED = { account_id: 'asked.account_id', mode: 'asked.mode' }

/** SQL for the first rows of the feed after a position, with row `asked`, to select from or to join laterally. */
const rowsAfter = (position: string, rows: string): string => `(
  select f.position, f.type, f.event_id from (
    (
      select x.position, x.type, x.event_id from callboard.feed x
      where asked.types is null
        and x.account_id = asked.account_id and x.mode = asked.mode and x.position > ${position}
      order by x.account_id, x.mode, x.position limit ${rows}
    )
    union all
    select x.position, x.type, x.event_id from unnest(string_to_array(asked.types, E'\\n')) wanted (type)
    cross join lateral (
      select x.position, x.type, x.event_id from callboard.feed x
      where x.account_id = asked.account_id and x.mode = asked.mode and x.type = wanted.type
        and x.position > ${position}
      order by x.account_id, x.mode, x.type, x.position limit ${rows}
    ) x
  ) f
  order by f.position limit ${rows}
)`

/**
 * SQL that finds where the page of row `asked` starts. Only the primary can tell: a replica has no unlogged table.
 *
 * The place of a cursor is lost if it belongs to another generation, or if its event is not at its position although
 * retention has not got that far.
 */
const START = `
  select g.id::text as generation, s.position as start, s.truncated, e.position as end_position, e.event_id as end_event_id,
    e.published_at as end_published_at,
    exists (select from ${rowsAfter('s.position', '1')} f) as has_news
  from (
    select coalesce((select r.after from ${rowByKey('feed_starts', OF_ASKED)} r), 0) as after,
      ${positionBefore(`callboard.clock() - asked.horizon_ms * interval '1 ms'`)} as floor
  ) kept
  left join lateral (
    select f.position, f.event_id, e.published_at
    from (
      select x.position, x.event_id from callboard.feed x
      where x.account_id = asked.account_id and x.mode = asked.mode
      order by x.account_id desc, x.mode desc, x.position desc limit 1
    ) f
    left join lateral ${eventByKey('asked.account_id', 'asked.mode', 'f.event_id')} e on true
    where f.position > kept.after
  ) last on true
  cross join lateral (
    select coalesce(last.position, kept.after) as position, last.event_id::text as event_id,
      ${MILLISECONDS('last.published_at')} as published_at
  ) e
  left join generation g on true
  cross join lateral (
    select asked.position is not null and (
      asked.generation <> g.id or (
        asked.event_id is not null and asked.position > kept.after and not exists (
          select from ${rowByKey('feed', { ...OF_ASKED, position: 'asked.position' })} f
          where f.event_id = asked.event_id
        )
      )
    ) as is_lost
  ) p
  cross join lateral (
    select case
      when asked.time is not null then ${positionBefore('asked.time')}
      when asked.position is null then e.position
      when p.is_lost then ${positionBefore(`asked.published_at - ${FEED_OVERLAP_MS} * interval '1 ms'`)}
      else asked.position
    end as wanted
  ) w
  cross join lateral (
    select greatest(w.wanted, kept.floor) as position,
      p.is_lost or w.wanted < kept.after or (w.wanted < kept.floor and exists (
        select from callboard.feed x
        where x.account_id = asked.account_id and x.mode = asked.mode and x.position > w.wanted and x.position <= kept.floor
      )) as truncated
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

/** The columns of {@link FeedAsk}, each of which is one array, so that the planner does not see a value. */
const ASKED = `unnest(
  :reads.account_id::text[], :reads.mode::text[], :reads.types::text[], :reads.rows::int[],
  :reads.personal_data::boolean[], :reads.horizon_ms::float8[], :reads.time::timestamptz[],
  :reads.position::bigint[], :reads.generation::uuid[], :reads.event_id::uuid[], :reads.published_at::timestamptz[]
) with ordinality asked (
  account_id, mode, types, rows, personal_data, horizon_ms, time, position, generation, event_id, published_at, n
)`

const GENERATION = `generation as materialized (
  select g.id from callboard.feed_generations g where g.xmin = g.inserted::xid
)`

const START_COLUMNS = `asked.n::int as n, started.generation, started.start::float8 as start, started.truncated,
  started.end_position::float8 as end_position, started.end_event_id, started.end_published_at, started.has_news`

/** Finds where pages start. */
export const feedStarts: Statement<FeedStartRow, { readonly accountId: string; readonly reads: readonly FeedAsk[] }> = {
  page: true,
  name: 'feed-starts',
  text: `
with ${GENERATION}
select ${START_COLUMNS}
from ${ASKED}
cross join lateral (${START}) started`,
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
cross join lateral (${START}) started
cross join lateral (${page('started.start')}) page`,
}

/** Reads the pages that continue after each \`position\`, without a check. A replica can run it. */
export const feedPagesAfter: Statement<
  FeedPageRow & { n: number },
  { readonly accountId: string; readonly reads: readonly FeedAsk[] }
> = {
  page: true,
  name: 'feed-pages-after',
  text: `
select asked.n::int as n, page.*
from ${ASKED}
cross join lateral (${page('asked.position')}) page`,
}

/**
 * Names the present history of the feed, if it has no name. A row that a dump brought along is replaced. When several
 * processes race, the first one names it.
 */
export const nameGeneration: Statement<unknown> = {
  name: 'name-generation',
  text: `
insert into callboard.feed_generations as g (id) values (gen_random_uuid())
on conflict (one) do update set id = excluded.id, inserted = excluded.inserted where g.xmin <> g.inserted::xid`,
}
