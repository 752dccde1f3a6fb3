import { CallboardError, createId, type ExhaustedDelivery, isCallboardError } from '@callboard/core'
import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import {
  type AttemptRecord,
  FAILING_RULE,
  type LaneSettlement,
  type SettleResult,
  type WorkerReport,
} from '@callboard/core/store'
import { createHttpsTransport } from '../http/https-transport.ts'
import { createAttempts } from '../lanes/attempt.ts'
import { createLaneVisit } from '../lanes/lane-visit.ts'
import { createLeasing, type Leasing } from '../lanes/leasing.ts'
import { createPostponedLanes, type PostponedLaneRegister } from '../lanes/postponed-lanes.ts'
import { createSettler } from '../lanes/settler.ts'
import { createScheduler, type Scheduler } from '../scheduling/scheduler.ts'
import { createStoreClock } from '../timing/store-clock.ts'
import { createWaker, type Waker } from '../timing/waker.ts'
import { type Attendance, attend } from './attendance.ts'
import { createLookout, type Lookout } from './lookout.ts'
import { createSequencing, type Sequencing } from './sequencing.ts'
import { createSpaceCheck, type SpaceCheck } from './space-check.ts'
import type { WorkerOptions, WorkerSettings } from './worker-options.ts'
import { createReports, reportOf } from './worker-report.ts'

/**
 * The longest sleep of a loop while the lookout looks for it, in milliseconds. Leasing sweeps as often.
 */
const LONGEST_REST_MS = 60_000

export interface WorkerPartsOptions {
  readonly options: Pick<
    WorkerOptions,
    'name' | 'transport' | 'extraCaCertificates' | 'egressProxy' | 'elapsed' | 'random'
  >
  readonly settings: WorkerSettings
  /** The milliseconds between two looks of a worker that rests; undefined while the worker must poll. */
  readonly restMs: () => number | undefined
  /** Aborts when no further request may start. */
  readonly stopping: AbortSignal
  /** Aborts when requests in flight must end. */
  readonly aborting: AbortSignal
  /** Called each time the store has recorded attempts of one lane, with these attempts. */
  readonly onRecorded?: ((attempts: readonly AttemptRecord[]) => void) | undefined
  /** Called when a visit to a lane has ended. */
  readonly onVisited?: (() => void) | undefined
}

/** The parts of a worker, connected to each other. They do nothing until they are called. */
export interface WorkerParts {
  /** Unique to this worker. */
  readonly id: string
  readonly scheduler: Scheduler
  readonly postponedLanes: PostponedLaneRegister
  /** The worker as it is now. */
  report(): WorkerReport
  readonly leasing: Leasing
  readonly sequencing: Sequencing
  readonly lookout: Lookout
  /** The longest pause of sequencing and of leasing, in milliseconds. They are woken before if there is work. */
  pauseMs(): number
  readonly space: SpaceCheck
  /**
   * An event that this process publishes wakes both: even if another worker sequences it, this worker may lease the
   * lanes that deliver it.
   */
  readonly wakers: { readonly sequencing: Waker; readonly leasing: Waker }
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
  /** Starts the worker's attendance. Call this before the first lease, and end the attendance after the last visit. */
  attend(): Attendance
  /** Closes connections and listeners. */
  close(): Promise<void>
}

export function createWorkerParts(
  callboard: AnyCallboard,
  { options, settings, restMs, stopping, aborting, onRecorded, onVisited }: WorkerPartsOptions,
): WorkerParts {
  const { deadlineMs, leaseMs } = settings
  const { elapsed = () => performance.now() } = options
  const engine = engineOf(callboard)
  const { store, hooks, telemetry } = engine
  const space = createSpaceCheck(store, hooks.onError)
  const onError = (error: unknown): void => {
    if (isCallboardError(error, 'UNAVAILABLE')) space.suspect()
    hooks.onError(error)
  }
  const name = options.name ?? createId('req').slice(-10)
  // Two workers with the same configured name must still have different ids.
  const id = `${name}.${createId('req').slice(-10)}`
  const transport =
    options.transport ??
    createHttpsTransport({
      addressPolicy: engine.targets,
      deadlineMs,
      extraCaCertificates: options.extraCaCertificates,
      egressProxy: options.egressProxy,
      maxIdleSocketsPerTarget: settings.perHost,
    })

  const wakers = { sequencing: createWaker(), leasing: createWaker() }
  const pauseMs = (): number => (restMs() === undefined ? settings.pollMs : LONGEST_REST_MS)
  const unsubscribe = engine.onPublished(() => {
    if (restMs() === undefined) for (const waker of Object.values(wakers)) waker.expectWork()
    else wakers.sequencing.wake()
  })
  const unsubscribeFailed = engine.onPublishFailed(space.suspect)

  /** Operational events that are still being published. A worker waits for them before it stops. */
  const publishing = new Set<Promise<void>>()
  const publishChanges = (changes: Pick<SettleResult, 'disabled' | 'failing' | 'recovered'>): void => {
    const published = engine.operational?.report(changes)
    if (published === undefined) return
    publishing.add(published)
    void published.then(() => publishing.delete(published))
  }
  const settler = createSettler({
    store: store.deliveries,
    failing: FAILING_RULE,
    leaseMs,
    signal: aborting,
    elapsed,
    onError,
    onSettled({ fenced, disabled, failing, recovered, dueInMs }, settlements) {
      if (dueInMs !== undefined) lookout.onDue(dueInMs)
      for (const settlement of settlements) {
        if (fenced.includes(settlement.lease)) continue
        telemetry?.recorded(settlement.attempts)
        onRecorded?.(settlement.attempts)
        for (const each of exhaustedOf(settlement)) hooks.onDeliveryExhausted(each)
      }
      for (const subscription of disabled) hooks.onSubscriptionDisabled(subscription)
      for (const subscription of failing) hooks.onSubscriptionFailing(subscription)
      for (const subscription of recovered) hooks.onSubscriptionRecovered(subscription)
      publishChanges({ disabled, failing, recovered })
      if (fenced.length > 0)
        hooks.log({
          level: 'warn',
          message: 'leases were lost before they were settled',
          fields: { worker: name, leases: fenced.length },
        })
    },
  })
  const clock = createStoreClock(engine.now, (offMs) => {
    const seconds = Math.round(Math.abs(offMs) / 1000)
    const message = `The clock of worker ${name} is ${seconds} s ${offMs > 0 ? 'behind' : 'ahead of'} the store's. It signs by the store's clock. Synchronise both clocks with NTP.`
    onError(new CallboardError('CONFIGURATION_INVALID', message))
  })
  const postponedLanes = createPostponedLanes(elapsed, ({ cause, name: missing }) =>
    hooks.log({
      level: 'warn',
      message: 'deliveries are left to other workers, because this one cannot send them',
      fields: { worker: name, cause, ...(missing !== '' && { missing }) },
    }),
  )
  const visit = createLaneVisit({
    store: store.deliveries,
    attempts: createAttempts(engine, { transport, clock, elapsed }),
    postponedLanes,
    settler,
    rules: {
      schedule: settings.retrySchedule,
      slowAfterMs: settings.slowAfterMs,
      now: clock.now,
      random: options.random,
    },
    deadlineMs,
    leaseMs,
    stopping,
    aborting,
    elapsed,
    onError,
  })

  const scheduler = createScheduler({
    ...settings,
    addressesOf: transport.addressesOf,
    onKnown: wakers.leasing.wake,
  })
  const leasing = createLeasing({
    store: store.deliveries,
    worker: id,
    settings,
    pauseMs,
    scheduler,
    postponedLanes,
    visit,
    waker: wakers.leasing,
    stopping,
    elapsed,
    onError,
    onVisited: () => onVisited?.(),
    onReleased: (lanes) =>
      hooks.log({
        level: 'warn',
        message: 'released lanes that were leased by failed calls',
        fields: { worker: name, lanes },
      }),
  })
  const sequencing = createSequencing({
    store: store.deliveries,
    leasing: {
      async sequence(limit) {
        const result = await leasing.sequence(limit)
        if (result.sequenced > 0) engine.onSequenced()
        return result
      },
    },
    onSequenced: wakers.leasing.wake,
    elapsed,
    onError,
  })
  const lookout = createLookout({
    store: store.deliveries,
    restMs,
    pollMs: settings.pollMs,
    leasing,
    sequencing,
    wakers,
    stopping,
    elapsed,
    onError,
  })
  const report = (): WorkerReport => reportOf(scheduler, postponedLanes, clock)
  const reports = createReports(() => ({ ...report(), limits: scheduler.limits() }), elapsed)

  return {
    id,
    scheduler,
    postponedLanes,
    report,
    leasing,
    sequencing,
    lookout,
    pauseMs,
    space,
    wakers,
    elapsed,
    attend: () =>
      attend({
        store: store.deliveries,
        worker: () => ({ id, name, details: reports() }),
        isVisiting: leasing.isVisiting,
        onLimits: scheduler.learn,
        also: space.checkSpace,
        now: engine.now,
        onClock: clock.compare,
        onTakeover(names) {
          wakers.leasing.wake()
          // Only the dead worker may have known when its retries are due.
          lookout.onNotice()
          hooks.log({
            level: 'warn',
            message: 'took over the deliveries of workers that had died',
            fields: { worker: name, died: names.join(', ') },
          })
        },
        onError,
      }),
    async close() {
      unsubscribe()
      unsubscribeFailed()
      await Promise.all(publishing)
      if (options.transport === undefined) await transport.close()
    },
  }
}

function exhaustedOf({ lease: { accountId, mode, id }, attempts }: LaneSettlement): ExhaustedDelivery[] {
  return attempts
    .filter(({ outcome }) => outcome === 'exhausted')
    .map(({ eventId, number, status, reason }) => {
      return { accountId, mode, subscriptionId: id, eventId, attempts: number, status, reason }
    })
}
