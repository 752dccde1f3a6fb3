import {
  CallboardError,
  type EventDraft,
  type EventPage,
  type EventPosition,
  type EventStore,
  type EventText,
  idFromUuid,
  isId,
  type PublishOutcome,
  uuidFromId,
} from '@callboard/core'
import type { Database, Runner, SqlClient } from './database.ts'
import { isConflict, serialisationFailure, toStoreError } from './failures.ts'
import { dateOf } from './row-values.ts'
import { type EventTextRow, findEvent } from './statements/find-event.ts'
import { pageEvents, pageEventsOfType } from './statements/page-events.ts'
import { type PublishRow, publish } from './statements/publish.ts'
import { returnSequence } from './statements/return-sequence.ts'

/** Behind every event: where a first page starts. */
const NEWEST = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const

export function createEventStore(database: Database): EventStore<SqlClient> {
  return {
    async publish(drafts, tx) {
      if (tx !== undefined) {
        return publishWithin(database.join(tx), drafts).catch((error: unknown) => {
          throw toCallersError(error)
        })
      }
      // Without an id or key of the publisher's own nothing can be there already: one statement, committed by itself.
      if (drafts.every(({ digests }) => digests.length === 0))
        return (await database.run(publish, valuesOf(drafts))).map(toOutcome)
      return database.transaction((own) => publishWithin(own, drafts))
    },
    async page({ accountId, mode, type, after, limit, horizonMs, personalData }) {
      const values = [accountId, mode, ...positionValues(after), limit + 1, horizonMs, personalData]
      return toPage(
        type === undefined
          ? await database.run(pageEvents, values)
          : await database.run(pageEventsOfType, [...values, type]),
        limit,
      )
    },
    async find(accountId, mode, id) {
      if (!isId('evt', id)) return undefined
      const [row] = await database.run(findEvent, [accountId, mode, uuidFromId('evt', id)])
      return row && toEventText(row)
    },
  }
}

/** A position as the two values that a page compares with. */
export function positionValues(after: EventPosition | undefined): readonly [string, string] {
  if (after === undefined) return NEWEST
  return [new Date(Math.min(after.occurredAt, LAST_TIME)).toISOString(), uuidFromId('evt', after.id)]
}

/** The end of the year 9999. A forged cursor may name a later time, whose ISO form Postgres does not read. */
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** One row more than the page holds was asked for: it tells whether there is another page. */
export function toPage(rows: readonly EventTextRow[], limit: number): EventPage {
  return {
    events: rows.slice(0, limit).map((row) => ({ ...toEventText(row), occurredAt: Math.round(row.occurred_at) })),
    hasMore: rows.length > limit,
  }
}

export function toEventText({ id, type, body, patch, fingerprint }: EventTextRow): EventText {
  return { id: idFromUuid('evt', id), type, body, patch, fingerprint }
}

async function publishWithin(runner: Runner, drafts: readonly EventDraft[]): Promise<PublishOutcome[]> {
  const rows = await runner.run(publish, valuesOf(drafts))
  const raced = rows.filter(({ outcome }) => outcome === 'raced')
  if (raced.length === 0) return rows.map(toOutcome)
  // Last first: what was taken last is on top of the counter.
  for (const row of raced.toReversed()) await giveBack(runner, row, drafts)
  // The winner has committed: a new statement sees it, and finds it for each of these drafts.
  const found = await runner.run(publish, valuesOf(raced.flatMap(({ n }) => drafts[n - 1] ?? [])))
  const known = new Map(found.map((row, index) => [raced[index]?.n, row]))
  const settled = rows.map((row) => known.get(row.n) ?? row)
  const halfDone =
    settled.some(({ outcome }) => outcome === 'stored') &&
    settled.some(({ outcome }) => outcome !== 'stored' && outcome !== 'known')
  if (halfDone) throw serialisationFailure()
  return settled.map(toOutcome)
}

async function giveBack(
  runner: Runner,
  { n, subject_type, subject_id, sequence }: PublishRow,
  drafts: readonly EventDraft[],
): Promise<void> {
  const draft = drafts[n - 1]
  if (draft === undefined || draft.sequence !== undefined) return
  const returned = await runner.run(returnSequence, [draft.accountId, draft.mode, subject_type, subject_id, sequence])
  if (returned.length === 0) throw serialisationFailure()
}

/** The caller's transaction is the caller's to run again. */
function toCallersError(error: unknown): unknown {
  if (!isConflict(error)) return toStoreError(error)
  const message = 'The transaction met another one: roll it back and run it again.'
  return new CallboardError('TRANSACTION_CONFLICT', message, { cause: error })
}

function valuesOf(drafts: readonly EventDraft[]): unknown[] {
  const column = <Value>(value: (draft: EventDraft) => Value): Value[] => drafts.map(value)
  return [
    column((draft) => draft.accountId),
    column((draft) => draft.mode),
    column((draft) => uuidFromId('evt', draft.id)),
    column((draft) => draft.type),
    column((draft) => draft.occurredAt.toISOString()),
    column((draft) => draft.subject.type),
    column((draft) => draft.subject.id),
    column((draft) => draft.sequence ?? null),
    column((draft) => draft.idempotencyKey ?? null),
    column((draft) => draft.digests.join(' ')),
    column((draft) => draft.head),
    column((draft) => draft.middle),
    column((draft) => draft.tail),
    column((draft) => draft.patch),
    column((draft) => draft.fingerprint),
    column((draft) => draft.personId ?? null),
    column((draft) => draft.ownId),
  ]
}

function toOutcome(row: PublishRow): PublishOutcome {
  if (row.outcome === 'account_unknown' || row.outcome === 'not_stored') return { outcome: row.outcome }
  if (row.outcome === 'raced') throw serialisationFailure()
  return {
    outcome: row.outcome,
    event: {
      id: idFromUuid('evt', row.id),
      type: row.type,
      occurredAt: dateOf(row.occurred_at),
      subject: { type: row.subject_type, id: row.subject_id, sequence: row.sequence },
    },
  }
}
