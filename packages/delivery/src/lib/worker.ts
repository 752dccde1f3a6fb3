import {
  type Callboard,
  CallboardError,
  type Catalog,
  createId,
  DEFAULT_RETRY_SCHEDULE,
  FAILING_RULE,
} from '@callboard/core'
import { createAttempt } from './attempt.ts'
import { backOff } from './back-off.ts'
import { createHttpsTransport, MAX_DEADLINE_MS } from './https-transport.ts'
import { createLaneVisit } from './lane.ts'
import { provePinning } from './pinning-canary.ts'
import { createSettler } from './settler.ts'
import type { Transport } from './transport.ts'
import { createWaker } from './waker.ts'

const LEASE_MARGIN_MS = 5_000
const SEQUENCE_BATCH = 500
const SWEEP_MS = 60_000

export interface WorkerOptions {
  /** Stops the worker gracefully when it aborts. */
  readonly signal?: AbortSignal | undefined
  /** One attempt in all, in milliseconds; 15 s by default, 30 s at most. */
  readonly deadlineMs?: number | undefined
  /** How long a lane is held without a word; twice the deadline by default, at least the deadline and 5 s. */
  readonly leaseMs?: number | undefined
  /** Subscriptions served at once, those with healthy targets; 64 by default. */
  readonly lanes?: number | undefined
  /** The same for slow and failing targets, in slots of their own; 16 by default. */
  readonly slowLanes?: number | undefined
  /** Deliveries in flight of one subscription; 10 by default. */
  readonly perSubscription?: number | undefined
  /** A try that took longer, in milliseconds, makes its target a slow one; 2 s by default. */
  readonly slowAfterMs?: number | undefined
  /** How often to look for work when there was none, in milliseconds; 100 by default. */
  readonly pollMs?: number | undefined
  /** Waits after each failed try, in milliseconds; about 76 hours in nine steps by default. */
  readonly retrySchedule?: readonly number[] | undefined
  /** How long what is in flight may take to end after a stop, in milliseconds; 10 s by default. */
  readonly graceMs?: number | undefined
  /** PEM certificates of authorities trusted beside the runtime's own; none by default. */
  readonly extraCaCertificates?: readonly string[] | undefined
  /** Sends the requests; pinned `node:https` by default. A transport of the platform's own brings its own guard. */
  readonly transport?: Transport | undefined
  /** Name in the lanes it holds, for people who look; a random one by default. */
  readonly name?: string | undefined
}

/** What a readiness probe needs to know of a worker. */
export interface WorkerHealth {
  readonly state: 'running' | 'stopping' | 'stopped'
  /** Whether it reached the store the last time it looked for work. */
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
 * `PINNING_UNSUPPORTED` when this runtime does not connect to the addresses that were judged.
 */
export async function startWorker<C extends Catalog, Tx>(
  callboard: Callboard<C, Tx>,
  options: WorkerOptions = {},
): Promise<Worker> {
  const {
    deadlineMs = 15_000,
    lanes = 64,
    slowLanes = 16,
    perSubscription = 10,
    slowAfterMs = 2_000,
    pollMs = 100,
    graceMs = 10_000,
  } = options
  const {
    leaseMs = 2 * deadlineMs,
    retrySchedule = DEFAULT_RETRY_SCHEDULE,
    name = createId('req').slice(-10),
  } = options
  assertOptions({ deadlineMs, leaseMs, lanes, slowLanes, perSubscription, pollMs, retrySchedule })
  if (options.transport === undefined) await provePinning()
  await callboard.store.ready()
  await reportLeftTypes(callboard)
  const transport =
    options.transport ??
    createHttpsTransport({
      addressPolicy: callboard.targets,
      deadlineMs,
      extraCaCertificates: options.extraCaCertificates,
      maxIdleSocketsPerTarget: perSubscription,
    })

  const { hooks, store } = callboard
  const elapsed = (): number => performance.now()
  const onError = (error: unknown): void => hooks.onError?.(error, {})
  const stopping = new AbortController()
  const aborting = new AbortController()
  const waker = createWaker()
  const unsubscribe = callboard.onPublished(() => waker.expectWork())

  const settler = createSettler({
    store: store.deliveries,
    failing: FAILING_RULE,
    leaseMs,
    elapsed,
    onError,
    onSettled({ fenced, disabled }) {
      for (const subscription of disabled) hooks.onSubscriptionDisabled?.(subscription)
      if (fenced.length > 0)
        hooks.log?.({
          level: 'warn',
          message: 'leases were lost before they were settled',
          fields: { worker: name, leases: fenced.length },
        })
    },
  })
  const visit = createLaneVisit({
    store: store.deliveries,
    attempt: createAttempt({ callboard, transport }),
    settler,
    rules: { schedule: retrySchedule, slowAfterMs, now: callboard.now },
    signal: aborting.signal,
    elapsed,
    onError,
  })

  const visits = new Set<Promise<void>>()
  const busy = { healthy: 0, slow: 0 }
  let contactAt = elapsed()
  let ok = true
  let sweptAt = elapsed()

  const take = async (pool: 'healthy' | 'slow', slots: number): Promise<number> => {
    const free = slots - busy[pool]
    if (free <= 0) return 0
    const askedAt = elapsed()
    const leased = await store.deliveries.lease({
      worker: name,
      lanes: free,
      perLane: perSubscription,
      leaseMs,
      slow: pool === 'slow',
    })
    for (const lane of leased) {
      busy[pool]++
      const running: Promise<void> = visit(lane, askedAt).finally(() => {
        busy[pool]--
        visits.delete(running)
        waker.wake()
      })
      visits.add(running)
    }
    return leased.length
  }

  const round = async (): Promise<boolean> => {
    const sequenced = await store.deliveries.sequence(SEQUENCE_BATCH)
    const leased = (await take('healthy', lanes)) + (await take('slow', slowLanes))
    if (elapsed() - sweptAt > SWEEP_MS) {
      sweptAt = elapsed()
      await store.deliveries.sweep()
    }
    contactAt = elapsed()
    return sequenced > 0 || leased > 0
  }

  const run = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const worked = await round()
        failures = 0
        ok = true
        if (!worked) await waker.sleep(pollMs, stopping.signal)
      } catch (error) {
        ok = false
        failures++
        onError(error)
        await backOff(failures, stopping.signal)
      }
    }
  }

  const finish = async (): Promise<void> => {
    const grace = setTimeout(() => aborting.abort(), graceMs)
    while (visits.size > 0) await Promise.all(visits)
    clearTimeout(grace)
    unsubscribe()
    if (options.transport === undefined) await transport.close()
  }

  let state: WorkerHealth['state'] = 'running'
  const stopped = run()
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
  if (signal?.aborted === true) void stop()
  else signal?.addEventListener('abort', () => void stop(), { once: true })

  return {
    stop,
    stopped,
    health: () => ({ state, ok, sinceContactMs: Math.round(elapsed() - contactAt), lanes: busy.healthy + busy.slow }),
  }
}

type Checked = Required<
  Pick<WorkerOptions, 'deadlineMs' | 'leaseMs' | 'lanes' | 'slowLanes' | 'perSubscription' | 'pollMs' | 'retrySchedule'>
>

function assertOptions(options: { readonly [name in keyof Checked]-?: NonNullable<Checked[name]> }): void {
  const refuse = (message: string): never => {
    throw new CallboardError('CONFIGURATION_INVALID', message)
  }
  const { deadlineMs, leaseMs, retrySchedule, ...counts } = options
  if (!(deadlineMs >= 1 && deadlineMs <= MAX_DEADLINE_MS)) refuse(`deadlineMs must be 1 to ${MAX_DEADLINE_MS}.`)
  if (!(leaseMs >= deadlineMs + LEASE_MARGIN_MS))
    refuse(`leaseMs must be at least deadlineMs and ${LEASE_MARGIN_MS} more, or a delivery could go to two workers.`)
  for (const [option, count] of Object.entries(counts))
    if (!(Number.isInteger(count) && count >= 1)) refuse(`${option} must be a whole number, at least 1.`)
  if (retrySchedule.some((wait) => !(wait >= 0))) refuse('retrySchedule must be waits of 0 or more milliseconds.')
}

/** Tells of event types that subscriptions name and the catalogue does not have (any more). */
async function reportLeftTypes<C extends Catalog, Tx>({ catalog, store, hooks }: Callboard<C, Tx>): Promise<void> {
  const left = (await store.subscriptions.typesInUse()).filter((type) => catalog.get(type) === undefined)
  if (left.length > 0)
    hooks.log?.({
      level: 'warn',
      message: 'subscriptions name event types that the catalogue does not have',
      fields: { types: left.join(', ') },
    })
}
