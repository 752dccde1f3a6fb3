import {
  BREAKER_THRESHOLD,
  type DeliveryBacklog,
  type DeliveryStore,
  idFromUuid,
  type LaneLease,
  type LaneSettlement,
  type LeaseRequest,
  uuidFromId,
} from '@callboard/core/store'
import type { Database } from './database.ts'
import { toHandedOverLanes, toLeasedLanes, toStanding } from './leased-lanes.ts'
import { markAfter, NO_MARK } from './outbox-mark.ts'
import { type BacklogRow, backlog, checkLeases, gauges, releaseLeases, sweepLanes } from './statements/deliveries.ts'
import { freeSubjects, sweepSubjects } from './statements/free-subjects.ts'
import { lease } from './statements/lease.ts'
import { type SequenceRow, sequence } from './statements/sequence.ts'
import { settle } from './statements/settle.ts'
import { createWakeMark } from './wake-mark.ts'

const LEASING_NOTHING: LeaseRequest = { worker: '', lanes: 0, perLane: 0, leaseMs: 0, slow: false, leaveOut: [] }

export function createDeliveryStore(database: Database, schema: string): DeliveryStore {
  let mark = NO_MARK
  const elapsed = (): number => performance.now()
  const wakes = { healthy: createWakeMark(elapsed), slow: createWakeMark(elapsed) }

  const place = async (
    limit: number,
    { worker, lanes, leaseMs, slow, leaveOut }: LeaseRequest,
  ): Promise<SequenceRow[]> => {
    const [from, since] = [mark, elapsed()]
    const outbox = [schema, limit, from.queued, from.pending, from.next?.pending ?? []]
    const rows = await database.run(sequence, [...outbox, worker, lanes, leaseMs, slow, leaveOut])
    wakes.healthy.woke(elapsed() - since)
    wakes.slow.woke(elapsed() - since)
    const [pass] = rows
    // Nothing is learnt from a pass that another one of this process overtook.
    if (pass !== undefined && mark === from) mark = markAfter(from, pass, limit, elapsed())
    return rows
  }

  return {
    async sequence(limit) {
      const [pass] = await place(limit, LEASING_NOTHING)
      return pass?.n ?? 0
    },
    async sequenceAndLease(limit, request) {
      const rows = await place(limit, request)
      const lanes = toHandedOverLanes(rows.flatMap(({ lane }) => lane ?? []))
      return { placed: rows[0]?.n ?? 0, lanes, rest: rows[0]?.rest ?? false }
    },
    listen: (onWork) => database.listen(schema, onWork),
    async lease({ worker, lanes, perLane, leaseMs, slow, leaveOut }) {
      const wake = slow ? wakes.slow : wakes.healthy
      const { dueFrom, leasedFrom } = wake.look()
      const values = [lanes, worker, leaseMs, slow, perLane, BREAKER_THRESHOLD, leaveOut, dueFrom, leasedFrom]
      const rows = await database.run(lease, values)
      const found = rows.flatMap((row) => (row.subscription_id === null ? [] : [row]))
      const leased = toLeasedLanes(found)
      // What is left out stays due, and may be older.
      if (leaveOut.length === 0) {
        const dueAt = found.map((row) => row.lane_due_at)
        wake.found(dueAt, found.length < lanes ? rows[0]?.looked_at : undefined)
      }
      return leased
    },
    async check(leases) {
      const lost = { deliverable: false, hold: undefined, personalData: false }
      const rows = await database.run(checkLeases, leaseValues(leases))
      const standings = new Map(rows.map((row) => [row.n, toStanding(row)]))
      return leases.map((_, index) => standings.get(index + 1) ?? lost)
    },
    async settle(settlements, failing) {
      if (settlements.length === 0) return { fenced: [], disabled: [] }
      const values = settleValues(settlements, failing)
      const rows = settlements.every(({ subjects }) => subjects.length === 0)
        ? await database.run(settle, values)
        : await database.transaction(async (tx) => {
            const settled = await tx.run(settle, values)
            await tx.run(freeSubjects, freeValues(settlements))
            return settled
          })
      const held = new Set(rows.map(({ n }) => n))
      return {
        fenced: settlements.filter((_, index) => !held.has(index + 1)).map((settlement) => settlement.lease),
        disabled: rows.flatMap(({ account_id, mode, subscription_id, verdict }) =>
          verdict === null
            ? []
            : [{ accountId: account_id, mode, id: idFromUuid('sub', subscription_id), reason: verdict }],
        ),
      }
    },
    async releaseLeases() {
      const [row] = await database.run(releaseLeases, [])
      return row?.n ?? 0
    },
    async sweep() {
      mark = NO_MARK
      const [lanes] = await database.run(sweepLanes, [])
      const [subjects] = await database.run(sweepSubjects, [])
      return (lanes?.n ?? 0) + (subjects?.n ?? 0)
    },
    async backlog() {
      const [row] = await database.run(backlog, [])
      return toBacklog(row)
    },
    async gauges() {
      const [row] = await database.run(gauges, [])
      const {
        gone = 0,
        failing = 0,
        key = 0,
        account = 0,
        platform = 0,
        lane_lag_ms: laneLagMs = 0,
        retries = 0,
      } = row ?? {}
      return { ...toBacklog(row), laneLagMs, retries, disabled: { gone, failing, key, account, platform } }
    },
  }
}

function toBacklog(row: BacklogRow | undefined): DeliveryBacklog {
  return { outbox: row?.outbox ?? 0, outboxAgeMs: Math.max(0, row?.age_ms ?? 0) }
}

function leaseValues(leases: readonly LaneLease[]): unknown[] {
  return [
    leases.map(({ accountId }) => accountId),
    leases.map(({ mode }) => mode),
    leases.map(({ id }) => uuidFromId('sub', id)),
    leases.map(({ epoch }) => epoch),
  ]
}

function freeValues(settlements: readonly LaneSettlement[]): unknown[] {
  const touched = settlements.flatMap(({ subjects }, index) => subjects.map((subject) => ({ n: index + 1, subject })))
  return [
    ...leaseValues(settlements.map((settlement) => settlement.lease)),
    touched.map(({ n }) => n),
    touched.map(({ subject }) => subject),
  ]
}

/** Columns for the statement: the lanes, and what happened in them with the number of the lane beside each. */
function settleValues(
  settlements: readonly LaneSettlement[],
  failing: { readonly tries: number; readonly durationMs: number },
): unknown[] {
  const lane = <Value>(value: (settlement: LaneSettlement) => Value): Value[] => settlements.map(value)
  const numbered = <Part>(
    parts: (settlement: LaneSettlement) => readonly Part[],
  ): { readonly n: number; readonly part: Part }[] =>
    settlements.flatMap((settlement, index) => parts(settlement).map((part) => ({ n: index + 1, part })))
  const attempts = numbered(({ attempts: made }) => made)
  const retries = numbered((settlement) => settlement.retries)
  const ended = numbered((settlement) => settlement.ended)
  // Told, not looked for among the attempts in the statement: that read all of them for each one, as soon as anything was being retried.
  const delivered = settlements.map(
    (settlement) =>
      new Set(settlement.attempts.flatMap(({ outcome, eventId }) => (outcome === 'delivered' ? eventId : []))),
  )
  return [
    ...leaseValues(settlements.map((settlement) => settlement.lease)),
    lane(({ cursor }) => cursor),
    lane(({ failures }) => failures),
    lane(({ succeeded }) => succeeded),
    lane(({ failedTries }) => failedTries),
    lane(({ slow }) => slow),
    lane(({ pauseMs }) => pauseMs),
    lane(({ disable }) => disable ?? null),
    lane(({ keep }) => keep),
    attempts.map(({ n }) => n),
    attempts.map(({ part }) => uuidFromId('att', part.id)),
    attempts.map(({ part }) => uuidFromId('evt', part.eventId)),
    attempts.map(({ part }) => part.number),
    attempts.map(({ part }) => part.outcome),
    attempts.map(({ part }) => part.status ?? null),
    attempts.map(({ part }) => part.reason ?? null),
    attempts.map(({ part }) => Math.round(part.durationMs)),
    attempts.map(({ part }) => part.response ?? null),
    retries.map(({ n }) => n),
    retries.map(({ part }) => uuidFromId('evt', part.eventId)),
    retries.map(({ part }) => part.tries),
    retries.map(({ part }) => part.delayMs ?? null),
    retries.map(({ part }) => part.suspect),
    retries.map(({ part }) => part.redacted),
    failing.tries,
    failing.durationMs,
    ended.map(({ n }) => n),
    ended.map(({ part }) => uuidFromId('evt', part)),
    ended.map(({ n, part }) => delivered[n - 1]?.has(part) ?? false),
    lane(({ attempts: made }) => made.filter(({ outcome }) => outcome === 'delivered').length),
    // Of an event that was gone nothing was sent.
    lane(({ attempts: made }) => made.filter(({ outcome }) => outcome !== 'delivered' && outcome !== 'expired').length),
  ]
}
