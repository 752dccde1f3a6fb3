import { type FeedPage, type FeedPlace, type FeedRead, idFromUuid, uuidFromId } from '@callboard/core/store'
import type { Runner } from '../database/database.ts'
import {
  type FeedAsk,
  type FeedEndRow,
  type FeedPageRow,
  type FeedStartRow,
  feedPages,
  feedPagesAfter,
  feedStarts,
  noteRun,
} from './feed-pages.ts'
import { linesOf, textsOf } from './lines-of.ts'
import type { PageReader } from './page-reader.ts'

/**
 * Reads pages of the feed. The primary checks each place. A replica then reads the pages that have events and contain
 * no personal data: whatever it shows of the feed begins where the primary said and has no gaps. If it shows nothing,
 * it has not replayed these events, and the primary reads the pages.
 */
export async function readFeed(primary: Runner, reader: PageReader, reads: readonly FeedRead[]): Promise<FeedPage[]> {
  if (reads.length === 0) return []
  const asks = reads.map(toAsk)
  if (!reader.usesReplica() || reads.some(({ personalData }) => personalData)) return readPages(primary, reads, asks)

  const starts = await named(primary, () => primary.run(feedStarts, batchOf(asks)))
  const newsOf = asks.flatMap((ask, index) => {
    const start = starts[index]
    return start?.has_news ? [{ index, ask: { ...ask, position: start.start } }] : []
  })
  const rows = newsOf.length === 0 ? [] : await reader.run(feedPagesAfter, batchOf(newsOf.map(({ ask }) => ask)))
  const found = new Map(rows.map((row) => [newsOf[row.n - 1]?.index, row]))
  const isBehind = newsOf.some(({ index }) => found.get(index)?.positions == null)
  if (isBehind) return readPages(primary, reads, asks)
  return reads.map((read, index) => {
    const start = starts[index]
    if (start === undefined) throw new Error('the database returned no row for a page')
    return toPage(read, start, found.get(index) ?? { ...start, ...NO_EVENTS })
  })
}

async function readPages(primary: Runner, reads: readonly FeedRead[], asks: readonly FeedAsk[]): Promise<FeedPage[]> {
  const rows = await named(primary, () => primary.run(feedPages, batchOf(asks)))
  return reads.map((read, index) => {
    const row = rows[index]
    if (row === undefined) throw new Error('the database returned no row for a page')
    return toPage(read, row, row)
  })
}

/** Runs the statement, and once more if the server's run was unknown. Returns the rows in the order of the pages. */
async function named<Row extends FeedStartRow>(primary: Runner, run: () => Promise<Row[]>): Promise<Row[]> {
  let rows = await run()
  if (rows.some(({ generation }) => generation === null)) {
    await primary.run(noteRun, {})
    rows = await run()
  }
  return rows.toSorted((a, b) => a.n - b.n)
}

/** Pages of several accounts share a queue of their own. */
function batchOf(reads: readonly FeedAsk[]): { accountId: string; reads: readonly FeedAsk[] } {
  const [first] = reads
  const isOfOne = reads.every(({ account_id }) => account_id === first?.account_id)
  return { accountId: isOfOne ? (first?.account_id ?? '') : '', reads }
}

function toAsk({ accountId, mode, types, start, limit, horizonMs, personalData }: FeedRead): FeedAsk {
  const place = start.at === 'place' ? start.place : undefined
  return {
    account_id: accountId,
    mode,
    types: types?.join('\n') ?? null,
    rows: limit + 1,
    personal_data: personalData,
    horizon_ms: horizonMs,
    time: start.at === 'time' ? start.time.toISOString() : null,
    position: place?.position ?? null,
    generation: place?.generation ?? null,
    event_id: place?.event === undefined ? null : uuidFromId('evt', place.event.id),
    published_at: place?.event === undefined ? null : new Date(place.event.publishedAt).toISOString(),
  }
}

/** Builds a page of the events that were read. One more than the limit only shows that another page follows. */
function toPage(
  { limit }: FeedRead,
  { generation, truncated }: FeedStartRow,
  { end_position, end_event_id, end_published_at, ...row }: FeedEndRow & FeedPageRow,
): FeedPage {
  const texts = textsOf(row)
  const positions = linesOf(row.positions)
  const published = linesOf(row.published)
  const events = texts.slice(0, limit).map((text, index) => {
    return { ...text, position: Number(positions[index]), publishedAt: Number(published[index]) }
  })
  const hasMore = texts.length > limit
  const last = hasMore ? events.at(-1) : undefined
  const end =
    end_event_id === null ? undefined : { id: idFromUuid('evt', end_event_id), publishedAt: end_published_at ?? 0 }
  const place: FeedPlace = {
    generation: generation ?? '',
    position: last?.position ?? end_position,
    event: last === undefined ? end : { id: last.id, publishedAt: last.publishedAt },
  }
  return { events, place, hasMore, truncated }
}

const NO_EVENTS: FeedPageRow = {
  positions: null,
  ids: null,
  types: null,
  published: null,
  bodies: null,
  patches: null,
  fingerprints: null,
}
