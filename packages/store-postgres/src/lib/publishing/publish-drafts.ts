import { accountsToCreate, type EventDraft, idFromUuid, type PublishOutcome } from '@callboard/core/store'
import { ensureAccounts } from '../accounts/ensure-accounts.ts'
import type { Database, Runner, SqlClient } from '../database/database.ts'
import { serialisationFailure } from '../database/failures.ts'
import { dateOf } from '../sql/row-values.ts'
import { proven, withinTransaction } from '../transactions/within-transaction.ts'
import { toDraftRow } from './draft-row.ts'
import { type PublishRow, publish } from './publish.ts'
import { publishEvent, UNPROVEN } from './publish-event.ts'
import { type PublishEventsParameters, publishEvents } from './publish-events.ts'
import { returnSequence } from './return-sequence.ts'

/** Where drafts are stored: in a transaction of the caller's (`within`) or of the store's own. */
interface Destination {
  readonly runner: Runner
  readonly within: boolean
  /** The channel to notify; null for none. */
  readonly channel: string | null
}

/**
 * Implements `EventStore.publishDrafts`. Runs several statements only if a draft exists already, might exist already,
 * or is refused, or if the caller's transaction has not written before. Notifies `channel`, unless it is null.
 */
export async function publishDrafts(
  database: Database,
  drafts: readonly EventDraft[],
  tx: SqlClient | undefined,
  channel: string | null,
): Promise<PublishOutcome[]> {
  const store = async (to: Destination): Promise<PublishOutcome[]> => {
    const outcomes = (await atOnce(to, drafts)) ?? (await stepwise(to, drafts))
    const accounts = accountsToCreate(
      drafts,
      outcomes.map(({ outcome }) => outcome),
    )
    if (accounts.length === 0) return outcomes
    const { deleted } = await ensureAccounts(to.runner, accounts, to.within)
    if (deleted.length > 0) return outcomes
    return stepwise(to, drafts)
  }
  if (tx !== undefined) return withinTransaction(database, tx, (runner) => store({ runner, within: true, channel }))
  // A single statement needs a transaction only if it may have to wait for another publisher, because the timeouts that
  // limit such a wait apply only in a transaction.
  const own = { within: false, channel }
  return (
    (drafts.every(isNew) ? await atOnce({ ...own, runner: database }, drafts) : undefined) ??
    database.transaction((runner) => store({ ...own, runner }))
  )
}

/** Whether the publisher gave neither an id nor an idempotency key. Such an event cannot exist already. */
function isNew({ digests }: EventDraft): boolean {
  return digests.length === 0
}

/**
 * Stores all drafts in one statement. Stores nothing and returns undefined if a draft exists already or is refused, or
 * if there are several drafts and the publisher gave one of them an id or an idempotency key.
 */
async function atOnce(
  { runner, ...how }: Destination,
  drafts: readonly EventDraft[],
): Promise<PublishOutcome[] | undefined> {
  const [draft, ...others] = drafts
  if (draft === undefined) return []
  if (others.length === 0) {
    const row = toDraftRow(draft)
    const [stored] = await proven(() => runner.run(publishEvent, { draft: row, ...how }), isProven)
    return typeof stored?.sequence === 'number' ? [storedAs(draft, stored.sequence)] : undefined
  }
  if (!drafts.every(isNew)) return undefined
  const batch = batchOf(drafts)
  const stored = await proven(() => runner.run(publishEvents, { ...batch, ...how }), isProven)
  return stored.length === 0
    ? undefined
    : stored.map(({ sequence }, index) => storedAs(drafts[index] ?? draft, sequence))
}

function isProven([first]: readonly { readonly sequence: number | null }[]): boolean {
  return first?.sequence !== UNPROVEN
}

async function stepwise({ runner, ...how }: Destination, drafts: readonly EventDraft[]): Promise<PublishOutcome[]> {
  const input = drafts.map(toDraftRow)
  const rows = await proven(
    () => runner.run(publish, { drafts: input, ...how }),
    ({ length }) => length > 0,
  )
  const raced = rows.filter(({ outcome }) => outcome === 'raced')
  if (raced.length === 0) return rows.map(toOutcome)
  // Gives sequences back in reverse order, because the counter can take back only the one that it gave out last.
  for (const row of raced.toReversed()) await giveBack(runner, row, drafts)
  // The other publishers' transactions have committed, so a new statement finds the events that they stored under the
  // ids or idempotency keys of these drafts.
  const again = raced.flatMap(({ n }) => drafts[n - 1] ?? [])
  const found = await runner.run(publish, { drafts: again.map(toDraftRow), within: false, channel: null })
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
  const { accountId, mode, subject } = draft
  const returned = await runner.run(returnSequence, { accountId, mode, ...subject, sequence })
  if (returned.length === 0) throw serialisationFailure()
}

/** The separator U+001F. No JSON text contains it. */
const SEPARATOR = '\x1f'

function batchOf(drafts: readonly EventDraft[]): Omit<PublishEventsParameters, 'channel' | 'within'> {
  const joined = (text: (draft: EventDraft) => string | null): string => drafts.map(text).join(SEPARATOR)
  return {
    drafts: drafts.map(toDraftRow),
    heads: joined(({ head }) => head),
    middles: joined(({ middle }) => middle),
    tails: joined(({ tail }) => tail),
    patches: joined(({ patch }) => patch),
  }
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
