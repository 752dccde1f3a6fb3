import {
  BREAKER_THRESHOLD,
  combineReports,
  type DeliveryStore,
  idFromUuid,
  readWorkerReport,
  type Unsequenced,
} from '@callboard/core/store'
import type { Database } from '../database/database.ts'
import { dueLanes } from '../lanes/due-lanes.ts'
import { type BacklogRow, backlog, checkLeases, gauges, releaseLeases, sweepLanes } from '../lanes/lane-statements.ts'
import { lease } from '../lanes/lease.ts'
import { readLanes, toDueLane, toStanding } from '../lanes/leased-lanes.ts'
import { settle } from '../lanes/settle.ts'
import { toLeaseRow, toSettled, toSettleResult } from '../lanes/settled-rows.ts'
import { sweepSubjects } from '../lanes/sweep-subjects.ts'
import { createWakeMark, placeAfter } from '../lanes/wake-mark.ts'
import type { Replica } from '../replica/replica.ts'
import { noteFeedTime } from '../sequencing/feed-times.ts'
import { createSequencer } from '../sequencing/sequencer.ts'
import { createWorkerRows } from '../workers/worker-rows.ts'
import { releaseCalls, releaseWorker } from '../workers/worker-statements.ts'

export function createDeliveryStore(
  database: Database,
  schema: string,
  replica: Pick<Replica, 'gauges'> | undefined,
  channel: string | null,
): DeliveryStore {
  const elapsed = (): number => performance.now()
  const wakes = createWakeMark()
  const sequencer = createSequencer(database, schema, { elapsed, onCommitted: wakes.committed })

  return {
    sequence: sequencer.sequence,
    ...createWorkerRows(database, schema),
    async due({ limit, after }) {
      const rows = await database.run(dueLanes, { limit, ...wakes.from(after) })
      return { lanes: rows.flatMap(toDueLane), ...placeAfter(rows, limit, after) }
    },
    async lease({ lanes, ...request }) {
      const wanted = lanes.map((lane) => ({ ...toLeaseRow(lane), room: lane.room }))
      const leasing = { ...request, lanes: wanted, breakerThreshold: BREAKER_THRESHOLD }
      return readLanes(database, await database.run(lease, leasing))
    },
    async releaseLeases(request) {
      const [row] =
        request.of === 'all'
          ? await database.run(releaseLeases, {})
          : request.of === 'worker'
            ? await database.run(releaseWorker, { ...request, channel })
            : await database.run(releaseCalls, request)
      return row?.n ?? 0
    },
    async checkLeases(leases) {
      const lost = { deliverable: false, disable: undefined, personalData: false }
      const rows = await database.run(checkLeases, { leases: leases.map(toLeaseRow) })
      const standings = new Map(rows.map((row) => [row.n, toStanding(row)]))
      return leases.map((_, index) => standings.get(index + 1) ?? lost)
    },
    async settle(settlements, failing) {
      if (settlements.length === 0) return { fenced: [], disabled: [], failing: [], recovered: [], dueInMs: undefined }
      const since = elapsed()
      const rows = await database.run(settle, toSettled(settlements, failing))
      wakes.committed(elapsed() - since)
      return toSettleResult(settlements, rows)
    },
    async sweep() {
      sequencer.forgetMark()
      await database.run(noteFeedTime, {})
      const [lanes] = await database.run(sweepLanes, {})
      const [subjects] = await database.run(sweepSubjects, {})
      return (lanes?.n ?? 0) + (subjects?.n ?? 0)
    },
    async backlog() {
      const [row] = await database.run(backlog, {})
      const next = row?.next == null ? undefined : idFromUuid('evt', row.next)
      return { ...toUnsequenced(row), next, nextInMs: row?.next_in_ms ?? undefined }
    },
    async gauges() {
      const [[row], ofReplica] = await Promise.all([database.run(gauges, {}), replica?.gauges()])
      const {
        gone = 0,
        failing = 0,
        key = 0,
        account = 0,
        platform = 0,
        lane_lag_ms: laneLagMs = 0,
        undelivered_ms: undeliveredMs = 0,
        retries = 0,
        paused: pausedLanes = 0,
        reports,
      } = row ?? {}
      const { waiting, heldBack, postponed } = combineReports((reports ?? []).map(readWorkerReport))
      return {
        ...toUnsequenced(row),
        laneLagMs,
        undeliveredMs: Math.max(0, undeliveredMs),
        retries,
        disabled: { gone, failing, key, account, platform },
        pausedLanes,
        waitingAccounts: waiting.accounts,
        heldBackHosts: heldBack.length,
        postponed,
        replica: ofReplica,
      }
    },
  }
}

function toUnsequenced(row: Pick<BacklogRow, 'outbox' | 'age_ms'> | undefined): Unsequenced {
  return { outbox: row?.outbox ?? 0, outboxAgeMs: Math.max(0, row?.age_ms ?? 0) }
}
