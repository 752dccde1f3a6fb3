import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import type { WorkerReport } from '@callboard/core/store'
import { keepRetention } from './retention-rounds.ts'
import { awaitStart } from './start-checks.ts'
import { readWorkerOptions, type WorkerOptions } from './worker-options.ts'
import { createWorkerParts } from './worker-parts.ts'

/** The answer for a readiness probe. It names hosts of your customers, so do not show all of it to strangers. */
export interface WorkerHealth {
  readonly state: 'running' | 'stopping' | 'stopped'
  /**
   * Whether the worker's last calls to sequence events and to lease lanes both reached the store. Also false if the
   * next event in line was published more than 10 s ago and no worker sequences it, because another process blocks the
   * sequencer, and while the disk of the store is full (`problem`).
   */
  readonly ok: boolean
  /** Why nothing can be published or recorded although the store answers: its disk is full. Absent otherwise. */
  readonly problem?: string
  /**
   * Milliseconds since the worker last looked for work in the store. An idle worker does so every ten seconds or more
   * often.
   */
  readonly sinceContactMs: number
  /** How many subscriptions the worker is sending to now. */
  readonly lanes: number
  /** How many subscriptions have work due and wait for their turn, and how many accounts they belong to. */
  readonly waiting: WorkerReport['waiting']
  /**
   * The hosts that subscriptions are waiting for, because this worker sends each of these hosts only `limit`
   * requests at a time. At most 50, sorted by the number of waiting subscriptions (`lanes`), highest first. The
   * `reason` is `new` (no request to the host has ended yet), `failing` (the last ones failed or were slow) or `full`
   * (it is at its limit).
   */
  readonly heldBack: WorkerReport['heldBack']
  /**
   * What the worker cannot send, although another worker may, and how many subscriptions (`lanes`) it leaves to others
   * for that reason. The `cause` is `version` or `key` (`name` is the format version or ring key that this process
   * lacks), `resources`, `network`, `proxy` or `clock`. Absent if it can send everything.
   */
  readonly postponed?: WorkerReport['postponed']
  /**
   * How far the store's clock is ahead of this process's, in milliseconds; negative if it is behind. The worker then
   * signs by the store's clock. Absent if they agree to within a second.
   */
  readonly clockOffMs?: WorkerReport['clockOffMs']
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
 * any number of processes. While the store is out of reach, as during a failover, `startWorker` waits for it and passes
 * the errors to `onError`; abort `signal` to give up.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for options that cannot work or a store that is not migrated;
 *   `PINNING_UNSUPPORTED` if this runtime's connections could reach addresses outside the policy or bypass the proxy.
 */
export async function startWorker(callboard: AnyCallboard, options: WorkerOptions = {}): Promise<Worker> {
  const settings = readWorkerOptions(options, callboard.retention.horizons.eventsMs)
  const { store } = engineOf(callboard)
  await awaitStart(callboard, options)

  const stopping = new AbortController()
  const aborting = new AbortController()
  const parts = createWorkerParts(callboard, {
    options,
    settings,
    restMs: () => listening.restMs(),
    stopping: stopping.signal,
    aborting: aborting.signal,
  })
  const { scheduler, leasing, sequencing, lookout, space, wakers, elapsed } = parts
  const listening = store.deliveries.listenForWork(parts.id, {
    onPublished() {
      wakers.sequencing.wake()
      lookout.onNotice()
    },
    onDue() {
      wakers.leasing.wake()
      lookout.onNotice()
    },
    onWorkers: () => attendance.hurry(),
  })

  /** Sequencing has its own loop: in one loop, sequencing and leasing would wait for each other. */
  const sequence = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // After a batch, more events may follow without a notification, so the worker looks again at once. After a single
      // event, another look would delay its delivery by 0.05 ms (two cores).
      const { count, more } = await sequencing.sequence()
      if (count <= 1 && !more) await wakers.sequencing.sleep(parts.pauseMs(), stopping.signal)
    }
  }

  const attendance = parts.attend()
  const run = async (): Promise<void> => {
    await attendance.begun
    // Sequence the backlog before the first look for lanes, so that this look finds the deliveries of the backlog.
    await sequencing.sequence()
    await Promise.all([leasing.run(), sequence(), lookout.run()])
  }

  const finish = async (): Promise<void> => {
    const grace = setTimeout(() => aborting.abort(), settings.graceMs)
    await leasing.visited()
    clearTimeout(grace)
    await attendance.end()
    listening.stop()
    options.signal?.removeEventListener('abort', onAbort)
    await parts.close()
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
    health() {
      const problem = space.problem()
      return {
        state,
        ok: leasing.ok() && sequencing.ok() && lookout.ok() && problem === undefined,
        ...(problem !== undefined && { problem }),
        sinceContactMs: Math.round(Math.min(leasing.sinceContactMs(), lookout.sinceContactMs())),
        lanes: scheduler.state().sending,
        ...parts.report(),
      }
    },
  }
}
