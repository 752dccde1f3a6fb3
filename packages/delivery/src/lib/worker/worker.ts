import { createId, type ExhaustedDelivery } from '@callboard/core'
import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import { FAILING_RULE, type LaneSettlement, type WorkerReport } from '@callboard/core/store'
import { createHttpsTransport } from '../http/https-transport.ts'
import { createScheduler } from '../scheduling/scheduler.ts'
import { createAttempt } from './attempt.ts'
import { attend } from './attendance.ts'
import { createLaneVisit } from './lane.ts'
import { createLeasing } from './leasing.ts'
import { keepRetention } from './retention-rounds.ts'
import { createSequencing } from './sequencing.ts'
import { createSettler } from './settler.ts'
import { checkStart } from './start-checks.ts'
import { createWaker } from './waker.ts'
import { readWorkerOptions, type WorkerOptions } from './worker-options.ts'
import { createReports, reportOf } from './worker-report.ts'

/** The answer for a readiness probe. It names hosts of your customers, so do not show all of it to strangers. */
export interface WorkerHealth {
  readonly state: 'running' | 'stopping' | 'stopped'
  /**
   * Whether the worker's last calls to sequence events and to lease lanes both reached the store, and no event has
   * waited to be sequenced for more than 10 s while this worker found nothing to sequence, as when another process
   * blocks the sequencer.
   */
  readonly ok: boolean
  /** Milliseconds since the worker last reached the store. */
  readonly sinceContactMs: number
  /** How many subscriptions the worker is sending to now. */
  readonly lanes: number
  /** How many subscriptions have work due and wait for their turn, and how many accounts they belong to. */
  readonly waiting: WorkerReport['waiting']
  /**
   * The hosts that subscriptions are waiting for, because the host takes only `limit` requests at a time from this
   * worker; those with the most waiting subscriptions (`lanes`) first, at most 50. The `reason` is `new` (the host has
   * never answered), `failing` (its last request failed or was slow) or `full` (it is at its limit).
   */
  readonly heldBack: WorkerReport['heldBack']
}

export interface Worker {
  health(): WorkerHealth
  /**
   * Takes no more work, lets deliveries in flight finish within the grace time, releases all other leased deliveries,
   * and then resolves. A second call aborts deliveries in flight at once. An aborted attempt does not count against its
   * target.
   */
  stop(): Promise<void>
  /** Resolves once the worker has stopped. */
  readonly stopped: Promise<void>
}

/**
 * Starts a worker, which sequences published events and delivers them. Any number of workers may run on one store, in
 * any number of processes. While the store is out of reach, as during a failover, this waits for it and passes the
 * trouble to `onError`; abort `signal` to give up.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for options that cannot work or a store that is not migrated;
 *   `PINNING_UNSUPPORTED` if, on this runtime, connections could reach addresses outside the policy or bypass the
 *   proxy.
 */
export async function startWorker(callboard: AnyCallboard, options: WorkerOptions = {}): Promise<Worker> {
  const settings = readWorkerOptions(options, callboard.retention.horizons.eventsMs)
  const { deadlineMs, leaseMs } = settings
  const engine = engineOf(callboard)
  const { store, hooks, telemetry } = engine
  const name = options.name ?? createId('req').slice(-10)
  // Workers with the same configured name must not be taken for each other.
  const id = `${name}.${createId('req').slice(-10)}`
  await checkStart(callboard, options)
  const transport =
    options.transport ??
    createHttpsTransport({
      addressPolicy: engine.targets,
      deadlineMs,
      extraCaCertificates: options.extraCaCertificates,
      egressProxy: options.egressProxy,
      maxIdleSocketsPerTarget: settings.perHost,
    })

  const { elapsed = () => performance.now() } = options
  const { onError } = hooks
  const stopping = new AbortController()
  const aborting = new AbortController()
  // A published event wakes both loops: once this or another worker has sequenced the event, its lanes can be leased.
  const wakers = { sequencing: createWaker(), leasing: createWaker() }
  const unsubscribe = engine.onPublished(() => {
    for (const waker of Object.values(wakers)) waker.expectWork()
  })
  const stopListening = store.deliveries.listen(id, wakers.sequencing.expectWork)

  const settler = createSettler({
    store: store.deliveries,
    failing: FAILING_RULE,
    leaseMs,
    signal: aborting.signal,
    elapsed,
    onError,
    onSettled({ fenced, disabled }, settlements) {
      for (const settlement of settlements) {
        if (fenced.includes(settlement.lease)) continue
        telemetry?.recorded(settlement.attempts)
        for (const each of exhaustedOf(settlement)) hooks.onDeliveryExhausted(each)
      }
      for (const subscription of disabled) hooks.onSubscriptionDisabled(subscription)
      if (fenced.length > 0)
        hooks.log({
          level: 'warn',
          message: 'leases were lost before they were settled',
          fields: { worker: name, leases: fenced.length },
        })
    },
  })
  const visit = createLaneVisit({
    store: store.deliveries,
    attempt: createAttempt(engine, transport),
    settler,
    rules: { schedule: settings.retrySchedule, slowAfterMs: settings.slowAfterMs, now: engine.now },
    deadlineMs,
    leaseMs,
    stopping: stopping.signal,
    aborting: aborting.signal,
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
    scheduler,
    visit,
    waker: wakers.leasing,
    stopping: stopping.signal,
    elapsed,
    onError,
  })

  const sequencing = createSequencing({
    store: store.deliveries,
    leasing,
    onSequenced: wakers.leasing.wake,
    elapsed,
    onError,
  })

  /** Sequencing has its own loop: in one loop, sequencing and leasing would wait for each other. */
  const sequence = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // After a batch, more events may follow without a notification, so the worker looks again at once. After a single
      // event, another look would only delay its delivery, by 0.05 ms on two cores.
      if ((await sequencing.sequence()) <= 1) await wakers.sequencing.sleep(settings.pollMs, stopping.signal)
    }
  }

  const reports = createReports(scheduler, elapsed)
  const attendance = attend({
    store: store.deliveries,
    worker: () => ({ id, name, details: reports() }),
    onTakeover(names) {
      wakers.leasing.wake()
      hooks.log({
        level: 'warn',
        message: 'took over the deliveries of workers that had died',
        fields: { worker: name, died: names.join(', ') },
      })
    },
    onError,
  })

  const run = async (): Promise<void> => {
    await attendance.begun
    // Sequence the backlog before the first look for lanes, so that this look finds the deliveries of the backlog.
    await sequencing.sequence()
    await Promise.all([leasing.run(), sequence()])
  }

  const finish = async (): Promise<void> => {
    const grace = setTimeout(() => aborting.abort(), settings.graceMs)
    await leasing.visited()
    clearTimeout(grace)
    await attendance.end()
    unsubscribe()
    stopListening()
    options.signal?.removeEventListener('abort', onAbort)
    if (options.transport === undefined) await transport.close()
  }

  let state: WorkerHealth['state'] = 'running'
  const retaining = keepRetention({ callboard, everyMs: settings.retentionMs, stopping: stopping.signal, elapsed })
  const stopped = Promise.all([run(), retaining])
    .then(finish)
    .then(() => {
      state = 'stopped'
    })
  const stop = (): Promise<void> => {
    if (state === 'stopping') aborting.abort()
    if (state === 'running') state = 'stopping'
    stopping.abort()
    return stopped
  }
  const { signal } = options
  const onAbort = (): void => void stop()
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })

  return {
    stop,
    stopped,
    health: () => ({
      state,
      ok: leasing.ok() && sequencing.ok(),
      sinceContactMs: Math.round(leasing.sinceContactMs()),
      lanes: scheduler.state().sending,
      ...reportOf(scheduler),
    }),
  }
}

function exhaustedOf({ lease: { accountId, mode, id }, attempts }: LaneSettlement): ExhaustedDelivery[] {
  return attempts
    .filter(({ outcome }) => outcome === 'exhausted')
    .map(({ eventId, number, status, reason }) => {
      return { accountId, mode, subscriptionId: id, eventId, attempts: number, status, reason }
    })
}
