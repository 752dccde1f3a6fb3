import { CallboardError } from '@callboard/core'
import { type EventDraft, idFromUuid, type PublishOutcome, uuidFromId } from '@callboard/core/store'
import type { Database, Runner, SqlClient } from './database.ts'
import { isConflict, serialisationFailure, toStoreError } from './failures.ts'
import { dateOf } from './row-values.ts'
import { type PublishRow, publish } from './statements/publish.ts'
import { publishEvent, publishEvents } from './statements/publish-event.ts'
import { returnSequence } from './statements/return-sequence.ts'

/** What `EventStore.publish` promises: one statement where nothing is in the way. It tells a channel, unless that is null. */
export async function publishDrafts(
  database: Database,
  drafts: readonly EventDraft[],
  tx: SqlClient | undefined,
  channel: string | null,
): Promise<PublishOutcome[]> {
  const within = async (runner: Runner): Promise<PublishOutcome[]> =>
    (await atOnce(runner, drafts, channel)) ?? (await stepwise(runner, drafts, channel))
  if (tx !== undefined) {
    return within(database.join(tx)).catch((error: unknown) => {
      throw toCallersError(error)
    })
  }
  // One statement needs no transaction around it. One that may wait for another publisher's has that of its time-outs.
  return (drafts.every(isNew) ? await atOnce(database, drafts, channel) : undefined) ?? database.transaction(within)
}

/** Without an id or key of the publisher's own nothing can be there already. */
function isNew({ digests }: EventDraft): boolean {
  return digests.length === 0
}

/** Undefined when something is in the way of one of them, or may be: then nothing is stored. */
async function atOnce(
  runner: Runner,
  drafts: readonly EventDraft[],
  channel: string | null,
): Promise<PublishOutcome[] | undefined> {
  const [draft, ...others] = drafts
  if (draft === undefined) return []
  if (others.length === 0) {
    const [stored] = await runner.run(publishEvent, [...valuesOf(draft), channel])
    return typeof stored?.sequence === 'number' ? [storedAs(draft, stored.sequence)] : undefined
  }
  if (!drafts.every(isNew)) return undefined
  const stored = await runner.run(publishEvents, [...batchValuesOf(drafts), channel])
  return stored.length === 0
    ? undefined
    : stored.map(({ sequence }, index) => storedAs(drafts[index] ?? draft, sequence))
}

async function stepwise(
  runner: Runner,
  drafts: readonly EventDraft[],
  channel: string | null,
): Promise<PublishOutcome[]> {
  const columns = (some: readonly EventDraft[]): unknown[] =>
    columnsOf(some.map((draft) => [...valuesOf(draft).with(9, draft.digests.join(' '))]))
  const rows = await runner.run(publish, [...columns(drafts), channel])
  const raced = rows.filter(({ outcome }) => outcome === 'raced')
  if (raced.length === 0) return rows.map(toOutcome)
  // Last first: what was taken last is on top of the counter.
  for (const row of raced.toReversed()) await giveBack(runner, row, drafts)
  // The winner has committed: a new statement sees it, and finds it for each of these drafts.
  const found = await runner.run(publish, [...columns(raced.flatMap(({ n }) => drafts[n - 1] ?? [])), null])
  const known = new Map(found.map((row, index) => [raced[index]?.n, row]))
  const settled = rows.map((row) => known.get(row.n) ?? row)
  const halfDone =
    settled.some(({ outcome }) => outcome === 'stored') &&
    settled.some(({ outcome }) => outcome !== 'stored' && outcome !== 'known')
  if (halfDone) throw serialisationFailure()
  return settled.map(toOutcome)
}

async function giveBack(runner: Runner, { n, sequence }: PublishRow, drafts: readonly EventDraft[]): Promise<void> {
  const draft = drafts[n - 1]
  if (draft === undefined || draft.sequence !== undefined) return
  const { type, id } = draft.subject
  const returned = await runner.run(returnSequence, [draft.accountId, draft.mode, type, id, sequence])
  if (returned.length === 0) throw serialisationFailure()
}

/** The caller's transaction is the caller's to run again. */
function toCallersError(error: unknown): unknown {
  if (!isConflict(error)) return toStoreError(error)
  const message = 'The transaction met another one: roll it back and run it again.'
  return new CallboardError('TRANSACTION_CONFLICT', message, { cause: error })
}

/** What every statement takes of a draft, in their order. */
function subjectValuesOf(draft: EventDraft): unknown[] {
  return [
    draft.accountId,
    draft.mode,
    uuidFromId('evt', draft.id),
    draft.type,
    draft.occurredAt.toISOString(),
    draft.subject.type,
    draft.subject.id,
    draft.sequence ?? null,
  ]
}

function textValuesOf(draft: EventDraft): unknown[] {
  return [draft.head, draft.middle, draft.tail, draft.patch, draft.fingerprint, draft.personId ?? null]
}

/** What no JSON text holds, nor a piece of one. */
const SEPARATOR = '\x1f'

/** JSON texts go as one text: in an array each of their quotes would be escaped, and read again. */
function batchValuesOf(drafts: readonly EventDraft[]): unknown[] {
  const joined = (text: (draft: EventDraft) => string | null): string => drafts.map(text).join(SEPARATOR)
  return [
    ...columnsOf(drafts.map(subjectValuesOf)),
    joined(({ head }) => head),
    joined(({ middle }) => middle),
    joined(({ tail }) => tail),
    joined(({ patch }) => patch),
    drafts.map(({ fingerprint }) => fingerprint),
    drafts.map(({ personId }) => personId ?? null),
    drafts.map(({ trace }) => trace ?? null),
  ]
}

/** Of the digests the current key's, which is kept. */
function valuesOf(draft: EventDraft): unknown[] {
  return [
    ...subjectValuesOf(draft),
    draft.idempotencyKey ?? null,
    draft.digests[0] ?? null,
    ...textValuesOf(draft),
    draft.ownId,
    draft.trace ?? null,
  ]
}

/** A value of each row becomes an array of each value. */
function columnsOf(rows: readonly (readonly unknown[])[]): unknown[] {
  const [first = []] = rows
  return first.map((_, column) => rows.map((row) => row[column]))
}

function storedAs(draft: EventDraft, sequence: number): PublishOutcome {
  const { id, type, occurredAt, subject } = draft
  return { outcome: 'stored', event: { id, type, occurredAt, subject: { ...subject, sequence } } }
}

function toOutcome(row: PublishRow): PublishOutcome {
  if (row.outcome === 'account_unknown' || row.outcome === 'not_stored') return { outcome: row.outcome }
  if (row.outcome === 'raced') throw serialisationFailure()
  const [type, id]: [string, string] = JSON.parse(row.subject)
  return {
    outcome: row.outcome,
    event: {
      id: idFromUuid('evt', row.id),
      type: row.type,
      occurredAt: dateOf(row.occurred),
      subject: { type, id, sequence: row.sequence },
    },
  }
}
