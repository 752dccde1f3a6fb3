import {
  BREAKER_THRESHOLD,
  type DeliveryBacklog,
  type DeliveryStore,
  idFromUuid,
  type LeaseRequest,
} from '@callboard/core/store'
import type { Database } from './database.ts'
import { toHandedOverLanes, toLeasedLanes, toStanding } from './leased-lanes.ts'
import { markAfter, NO_MARK } from './outbox-mark.ts'
import { toLeaseRow, toSettled } from './settled-rows.ts'
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

  const sequenceOutbox = async (limit: number, { perLane: _, ...request }: LeaseRequest): Promise<SequenceRow[]> => {
    const [from, since] = [mark, elapsed()]
    const rows = await database.run(sequence, {
      ...request,
      schema,
      limit,
      mark: from.queued,
      pending: from.pending,
      awaited: from.next?.pending ?? [],
    })
    wakes.healthy.woke(elapsed() - since)
    wakes.slow.woke(elapsed() - since)
    const [pass] = rows
    // If another pass in this process has changed the mark meanwhile, that newer mark stays.
    if (pass !== undefined && mark === from) mark = markAfter(from, pass, limit, elapsed())
    return rows
  }

  return {
    async sequence(limit) {
      const [pass] = await sequenceOutbox(limit, LEASING_NOTHING)
      return pass?.n ?? 0
    },
    async sequenceAndLease(limit, request) {
      const rows = await sequenceOutbox(limit, request)
      const lanes = toHandedOverLanes(rows.flatMap(({ lane }) => lane ?? []))
      return { sequenced: rows[0]?.n ?? 0, lanes, rest: rows[0]?.rest ?? false }
    },
    listen: (onWork) => database.listen(schema, onWork),
    async lease(request) {
      const wake = request.slow ? wakes.slow : wakes.healthy
      const rows = await database.run(lease, { ...request, ...wake.look(), breakerThreshold: BREAKER_THRESHOLD })
      const found = rows.flatMap((row) => (row.subscription_id === null ? [] : [row]))
      const leased = toLeasedLanes(found)
      // If accounts were left out of this scan, their lanes stay due. Those lanes may have been due for longer than the
      // lanes found, so the mark must not move past them.
      if (request.leaveOut.length === 0) {
        const dueAt = found.map((row) => row.lane_due_at)
        wake.found(dueAt, found.length < request.lanes ? rows[0]?.looked_at : undefined)
      }
      return leased
    },
    async check(leases) {
      const lost = { deliverable: false, hold: undefined, personalData: false }
      const rows = await database.run(checkLeases, { leases: leases.map(toLeaseRow) })
      const standings = new Map(rows.map((row) => [row.n, toStanding(row)]))
      return leases.map((_, index) => standings.get(index + 1) ?? lost)
    },
    async settle(settlements, failing) {
      if (settlements.length === 0) return { fenced: [], disabled: [] }
      const settled = toSettled(settlements, failing)
      const subjects = settlements.flatMap((settlement, index) =>
        settlement.subjects.map((subject) => ({ lane: index + 1, subject })),
      )
      const rows =
        subjects.length === 0
          ? await database.run(settle, settled)
          : await database.transaction(async (tx) => {
              const lanes = await tx.run(settle, settled)
              await tx.run(freeSubjects, { leases: settled.lanes, subjects })
              return lanes
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
      const [row] = await database.run(releaseLeases, {})
      return row?.n ?? 0
    },
    async sweep() {
      mark = NO_MARK
      const [lanes] = await database.run(sweepLanes, {})
      const [subjects] = await database.run(sweepSubjects, {})
      return (lanes?.n ?? 0) + (subjects?.n ?? 0)
    },
    async backlog() {
      const [row] = await database.run(backlog, {})
      return toBacklog(row)
    },
    async gauges() {
      const [row] = await database.run(gauges, {})
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
