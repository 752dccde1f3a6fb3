import {
  BREAKER_THRESHOLD,
  combineReports,
  type DeliveryBacklog,
  type DeliveryStore,
  idFromUuid,
  readWorkerReport,
} from '@callboard/core/store'
import type { Database } from './database.ts'
import { readLanes, toDueLane, toStanding } from './leased-lanes.ts'
import type { Replica } from './replica.ts'
import { createSequencer } from './sequencer.ts'
import { toLeaseRow, toSettled, toSettleResult } from './settled-rows.ts'
import {
  type BacklogRow,
  backlog,
  checkLeases,
  gauges,
  nextUnsequenced,
  releaseLeases,
  sweepLanes,
} from './statements/deliveries.ts'
import { dueLanes } from './statements/due-lanes.ts'
import { sweepSubjects } from './statements/free-subjects.ts'
import { lease } from './statements/lease.ts'
import { settle } from './statements/settle.ts'
import { untilNextWork } from './statements/until-next-work.ts'
import { releaseCalls } from './statements/workers.ts'
import { createWakeMark, positionAfter } from './wake-mark.ts'
import { createWorkerRows } from './worker-rows.ts'

export function createDeliveryStore(
  database: Database,
  schema: string,
  replica: Pick<Replica, 'gauges'> | undefined,
): DeliveryStore {
  const elapsed = (): number => performance.now()
  const wakes = createWakeMark()
  const sequencer = createSequencer(database, schema, { elapsed, onCommitted: wakes.committed })

  return {
    sequence: sequencer.sequence,
    ...createWorkerRows(database, schema),
    async due({ limit, after }) {
      const rows = await database.run(dueLanes, { limit, ...wakes.from(after) })
      return { lanes: rows.flatMap(toDueLane), ...positionAfter(rows, limit, after) }
    },
    async lease({ lanes, ...request }) {
      const wanted = lanes.map((lane) => ({ ...toLeaseRow(lane), room: lane.room }))
      const leasing = { ...request, lanes: wanted, breakerThreshold: BREAKER_THRESHOLD }
      return readLanes(database, await database.run(lease, leasing))
    },
    async releaseCalls(request) {
      const [row] = await database.run(releaseCalls, request)
      return row?.n ?? 0
    },
    async check(leases) {
      const lost = { deliverable: false, hold: undefined, personalData: false }
      const rows = await database.run(checkLeases, { leases: leases.map(toLeaseRow) })
      const standings = new Map(rows.map((row) => [row.n, toStanding(row)]))
      return leases.map((_, index) => standings.get(index + 1) ?? lost)
    },
    async settle(settlements, failing) {
      if (settlements.length === 0) return { fenced: [], disabled: [], failing: [], recovered: [] }
      const since = elapsed()
      const rows = await database.run(settle, toSettled(settlements, failing))
      wakes.committed(elapsed() - since)
      return toSettleResult(settlements, rows)
    },
    async releaseLeases() {
      const [row] = await database.run(releaseLeases, {})
      return row?.n ?? 0
    },
    async sweep() {
      sequencer.forgetMark()
      const [lanes] = await database.run(sweepLanes, {})
      const [subjects] = await database.run(sweepSubjects, {})
      return (lanes?.n ?? 0) + (subjects?.n ?? 0)
    },
    async untilNextWork() {
      const [row] = await database.run(untilNextWork, {})
      return row?.ms ?? undefined
    },
    async backlog() {
      const [row] = await database.run(backlog, {})
      return toBacklog(row)
    },
    async nextUnsequenced() {
      const [row] = await database.run(nextUnsequenced, {})
      return row && { id: idFromUuid('evt', row.id), ageMs: Math.max(0, row.age_ms) }
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
      const { waiting, heldBack, held } = combineReports((reports ?? []).map(readWorkerReport))
      return {
        ...toBacklog(row),
        laneLagMs,
        undeliveredMs: Math.max(0, undeliveredMs),
        retries,
        disabled: { gone, failing, key, account, platform },
        pausedLanes,
        waitingAccounts: waiting.accounts,
        heldBackHosts: heldBack.length,
        held,
        replica: ofReplica,
      }
    },
  }
}

function toBacklog(row: BacklogRow | undefined): DeliveryBacklog {
  return { outbox: row?.outbox ?? 0, outboxAgeMs: Math.max(0, row?.age_ms ?? 0) }
}
