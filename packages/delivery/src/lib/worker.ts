import {
  type Callboard,
  CallboardError,
  type Catalog,
  createId,
  type ExhaustedDelivery,
  FAILING_RULE,
  type LaneSettlement,
  type LeasedLane,
} from '@callboard/core'
import { createAttempt } from './attempt.ts'
import { backOff } from './back-off.ts'
import { createHttpsTransport } from './https-transport.ts'
import { createLaneVisit } from './lane.ts'
import { provePinning } from './pinning-canary.ts'
import { createPlacing } from './placing.ts'
import { keepRetention } from './retention-rounds.ts'
import { createSettler } from './settler.ts'
import { createSlots, type Slots } from './slots.ts'
import { proveTunnelling } from './tunnel-canary.ts'
import { createWaker } from './waker.ts'
import { readWorkerOptions, type WorkerOptions } from './worker-options.ts'

const SWEEP_MS = 60_000

/** What a readiness probe needs to know of a worker. */
export interface WorkerHealth {
  readonly state: 'running' | 'stopping' | 'stopped'
  /** Whether it reached the store the last time it placed events in the feed and the last time it looked for work. */
  readonly ok: boolean
  /** Milliseconds since it last reached it. */
  readonly sinceContactMs: number
  /** Subscriptions it is sending to at this moment. */
  readonly lanes: number
}

export interface Worker {
  health(): WorkerHealth
  /**
   * Takes no more work, lets what is in flight end within the grace time, gives the rest back, and resolves. A second call
   * aborts at once; nothing that was aborted is counted against its target.
   */
  stop(): Promise<void>
  /** Resolves once it has stopped. */
  readonly stopped: Promise<void>
}

/**
 * Starts a worker: it gives published events their place in the feed and delivers them. Any number may run, in any
 * processes, on one store.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for options that cannot work or a store that is not migrated,
 * `PINNING_UNSUPPORTED` when this runtime does not connect to the addresses that were judged, or not through the proxy.
 */
export async function startWorker<C extends Catalog, Tx>(
  callboard: Callboard<C, Tx>,
  options: WorkerOptions = {},
): Promise<Worker> {
  const settings = readWorkerOptions(options, callboard.retention.horizons.eventsMs)
  const { deadlineMs, leaseMs, perSubscription } = settings
  const { store, hooks } = callboard
  const name = options.name ?? createId('req').slice(-10)
  if (options.transport === undefined) await (options.egressProxy === undefined ? provePinning() : proveTunnelling())
  await store.ready()
  await assertKeyRingFits(callboard)
  await reportLeftTypes(callboard)
  if (options.soleWorker === true) await store.deliveries.releaseLeases()
  const transport =
    options.transport ??
    createHttpsTransport({
      addressPolicy: callboard.targets,
      deadlineMs,
      extraCaCertificates: options.extraCaCertificates,
      egressProxy: options.egressProxy,
      maxIdleSocketsPerTarget: perSubscription,
    })

  const { elapsed = () => performance.now() } = options
  const { onError } = hooks
  const stopping = new AbortController()
  const aborting = new AbortController()
  // What is published is placed first; what was placed, here or elsewhere, is leased.
  const wakers = { placing: createWaker(), leasing: createWaker() }
  const unsubscribe = callboard.onPublished(() => {
    for (const waker of Object.values(wakers)) waker.expectWork()
  })
  const stopListening = store.deliveries.listen(wakers.placing.expectWork)

  const settler = createSettler({
    store: store.deliveries,
    failing: FAILING_RULE,
    leaseMs,
    signal: aborting.signal,
    elapsed,
    onError,
    onSettled({ fenced, disabled }, settlements) {
      for (const settlement of settlements)
        if (!fenced.includes(settlement.lease))
          for (const each of exhaustedOf(settlement)) hooks.onDeliveryExhausted(each)
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
    attempt: createAttempt({ callboard, transport, onError }),
    settler,
    rules: { schedule: settings.retrySchedule, slowAfterMs: settings.slowAfterMs, now: callboard.now },
    deadlineMs,
    leaseMs,
    stopping: stopping.signal,
    aborting: aborting.signal,
    elapsed,
    onError,
  })

  const visits = new Set<Promise<void>>()
  const { patienceMs } = settings
  const healthy = createSlots({ slots: settings.lanes, slow: false, patienceMs, onFree: wakers.leasing.wake })
  const slow = createSlots({ slots: settings.slowLanes, slow: true, patienceMs, onFree: wakers.leasing.wake })
  const placing = createPlacing({ store: store.deliveries, elapsed, onError })
  let contactAt = elapsed()
  let ok = true
  let sweptAt = elapsed()

  const start = (slots: Slots, lane: LeasedLane, askedAt: number): void => {
    const running: Promise<void> = slots
      .occupy(lane.lease.accountId, (onSent) => visit({ ...lane, askedAt, slow: slots.slow }, onSent))
      .finally(() => visits.delete(running))
    visits.add(running)
  }

  const take = async (slots: Slots): Promise<number> => {
    const free = slots.free()
    if (free <= 0 || stopping.signal.aborted) return 0
    const askedAt = elapsed()
    const leased = await store.deliveries.lease({
      worker: name,
      lanes: free,
      perLane: perSubscription,
      leaseMs,
      slow: slots.slow,
      leaveOut: slots.crowding(),
    })
    for (const lane of leased) start(slots, lane, askedAt)
    return leased.length
  }

  const lookForWork = async (): Promise<boolean> => {
    const leased = await Promise.all([take(healthy), take(slow)])
    if (elapsed() - sweptAt > SWEEP_MS) {
      sweptAt = elapsed()
      await store.deliveries.sweep()
    }
    contactAt = elapsed()
    return leased.some((lanes) => lanes > 0)
  }

  const lease = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const worked = await lookForWork()
        failures = 0
        ok = true
        if (!worked) await wakers.leasing.sleep(settings.pollMs, stopping.signal)
      } catch (error) {
        ok = false
        failures++
        onError(error)
        await backOff(failures, stopping.signal)
      }
    }
  }

  /** Beside leasing: one after the other, each waited for what the other had sent meanwhile. */
  const place = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if ((await placing.place()) > 0) wakers.leasing.wake()
      else await wakers.placing.sleep(settings.pollMs, stopping.signal)
    }
  }

  const run = async (): Promise<void> => {
    // What waits already is there for the first look.
    await placing.place()
    await Promise.all([lease(), place()])
  }

  const finish = async (): Promise<void> => {
    const grace = setTimeout(() => aborting.abort(), settings.graceMs)
    while (visits.size > 0) await Promise.all(visits)
    clearTimeout(grace)
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
      ok: ok && placing.ok(),
      sinceContactMs: Math.round(elapsed() - contactAt),
      lanes: healthy.held() + slow.held(),
    }),
  }
}

function exhaustedOf({ lease: { accountId, mode, id }, attempts }: LaneSettlement): ExhaustedDelivery[] {
  return attempts
    .filter(({ outcome }) => outcome === 'exhausted')
    .map(({ eventId, number, status, reason }) => {
      return { accountId, mode, subscriptionId: id, eventId, tries: number, status, reason }
    })
}

const SECRETS_TRIED = 5

/**
 * A worker with another platform's key ring would use up every delivery's tries without sending one. A single secret that does
 * not open is that delivery's trouble; all of them are the configuration's.
 */
async function assertKeyRingFits<C extends Catalog, Tx>({ store, secretBox }: Callboard<C, Tx>): Promise<void> {
  const sample = await store.subscriptions.sealedSample(SECRETS_TRIED)
  const opened = await Promise.allSettled(sample.map(({ id, sealed }) => secretBox.open(id, sealed)))
  if (sample.length > 0 && opened.every(({ status }) => status === 'rejected')) {
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      'secretKeys open none of the signing secrets in the store: they are not the keys that these were sealed with.',
    )
  }
}

/** Tells of event types that subscriptions name and the catalogue does not have (any more). */
async function reportLeftTypes<C extends Catalog, Tx>({ catalog, store, hooks }: Callboard<C, Tx>): Promise<void> {
  const left = (await store.subscriptions.typesInUse()).filter((type) => catalog.get(type) === undefined)
  if (left.length > 0)
    hooks.log({
      level: 'warn',
      message: 'subscriptions name event types that the catalogue does not have',
      fields: { types: left.join(', ') },
    })
}
