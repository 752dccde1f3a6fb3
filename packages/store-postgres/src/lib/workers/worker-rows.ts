import { ATTEND_MS, type DeliveryStore, type LearntLimits, readLearntLimits } from '@callboard/core/store'
import type { Database, LockWatch } from '../database/database.ts'
import { watchNotices } from '../publishing/announcer.ts'
import { LOCKED_BEAT_MS } from './attends.ts'
import { createDeathWatch } from './death-watch.ts'
import { DUE } from './due-notice.ts'
import { type AttendRow, attend, followClock, takeOver, WORKERS, writeSession } from './worker-statements.ts'

/**
 * The longest time that a worker's first call of `attend` waits for the worker's lock, in milliseconds. With the lock,
 * a worker that crashes right after its start is replaced as fast as any other.
 */
const FIRST_LOCK_MS = 1_000

/**
 * The milliseconds between two looks of a worker that rests. The first worker looks often on behalf of all, and the
 * second in case the first is stalled (decision 026).
 */
const REST_MS = [1_000, 2_000]
const REST_OF_OTHERS_MS = 10_000

/** How often a worker looks at the others while one of them may have died, in milliseconds. */
const SUSPECTING_MS = 100

/** A worker of this process that listens. */
interface ListeningWorker {
  /** Resolves once it is known whether the worker holds a lock, or after `FIRST_LOCK_MS`. */
  readonly known: Promise<void>
  /** The key of the lock that the worker holds; undefined if it holds none. */
  session: string | undefined
  /** Takes note of the lock that the worker holds from now on, if any. */
  onSession(session: string | undefined): void
  /** Whether a notice has arrived since the worker took the lock. */
  hears: boolean
  /** Whether the worker still held the lock when it last attended, and how many workers before it held theirs. */
  locked: boolean
  before: number
  /** Waits for the lock of the next worker. */
  readonly neighbour: LockWatch
}

/**
 * The workers' rows. If a worker has a connection to listen on, it holds a lock in that connection's session. The
 * server releases the lock when the connection ends, so a worker whose lock is free has probably died. Each worker
 * waits for the lock of the next one, so that it learns of the death at once.
 */
export function createWorkerRows(database: Database, schema: string): Pick<DeliveryStore, 'listenForWork' | 'attend'> {
  const watch = createDeathWatch(() => performance.now())
  const listening = new Map<string, ListeningWorker>()

  /** How soon a worker must attend again. It looks at the others often, unless it would learn of each death. */
  const againIn = (rows: readonly AttendRow[], worker: ListeningWorker | undefined) => {
    const [row] = rows
    if (rows.some(({ missing }) => missing)) return { working: SUSPECTING_MS, resting: SUSPECTING_MS }
    if (row === undefined || worker === undefined || !row.locked) return { working: ATTEND_MS, resting: ATTEND_MS }
    worker.neighbour.watch(row.neighbour ?? undefined)
    if (row.others === 0) return { working: LOCKED_BEAT_MS, resting: LOCKED_BEAT_MS }
    const isWatching = row.others === row.locked_others && worker.neighbour.watched() === row.neighbour
    return { working: ATTEND_MS, resting: isWatching ? LOCKED_BEAT_MS : ATTEND_MS }
  }

  return {
    listenForWork(workerId, hooks) {
      let stopped = false
      let isKnown = (): void => undefined
      const known = new Promise<void>((resolve) => {
        const late = setTimeout(resolve, FIRST_LOCK_MS)
        isKnown = () => {
          clearTimeout(late)
          resolve()
        }
      })
      const worker: ListeningWorker = {
        known,
        session: undefined,
        onSession(session) {
          isKnown()
          if (stopped || worker.session === session) return
          Object.assign(worker, { session, hears: false, locked: false })
          hooks.onWorkers()
          // There was no notice of what happened before this connection listened, and there is none without it.
          hooks.onPublished()
          hooks.onDue()
          const parameters = { id: workerId, session: session ?? null, channel: session === undefined ? null : schema }
          // An error can be ignored, because the worker's next call of `attend` writes the session too.
          database.run(writeSession, parameters).catch(() => undefined)
        },
        hears: false,
        locked: false,
        before: 0,
        neighbour: database.watchLocks(hooks.onWorkers),
      }
      const notices = watchNotices(hooks.onPublished)
      listening.set(workerId, worker)
      const stop = database.listen(schema, {
        onNotice(payload) {
          worker.hears = true
          if (payload === WORKERS) hooks.onWorkers()
          else if (payload === DUE) hooks.onDue()
          else {
            notices.noticed()
            hooks.onPublished()
          }
        },
        onSession: worker.onSession,
      })
      return {
        restMs() {
          if (!worker.hears || !worker.locked) return undefined
          return REST_MS[worker.before] ?? REST_OF_OTHERS_MS
        },
        stop() {
          stopped = true
          isKnown()
          listening.delete(workerId)
          worker.neighbour.stop()
          notices.stop()
          stop()
        },
      }
    },

    async attend({ id, name, details }) {
      const text = details === undefined ? null : JSON.stringify(details)
      const worker = listening.get(id)
      try {
        await worker?.known
        let rows: AttendRow[]
        let session: string | undefined
        const limits: LearntLimits[number][] = []
        // Repeats the call if the lock was taken or lost during it, because the row may then name the wrong lock.
        do {
          session = worker?.session
          const channel = session === undefined ? null : schema
          rows = await database.run(attend, { id, name, session: session ?? null, details: text, channel })
          if (rows[0]?.locked !== true && session === worker?.session) worker?.onSession(undefined)
          limits.push(...rows.flatMap((other) => readLearntLimits(other.limits)))
        } while (session !== worker?.session)
        const [row] = rows
        if (worker !== undefined) Object.assign(worker, { locked: row?.locked === true, before: row?.before ?? 0 })
        if (rows.some(({ ahead }) => ahead)) await database.run(followClock, {})
        const result = { limits, clock: new Date(row?.clock ?? Number.NaN), againInMs: againIn(rows, worker) }
        const dead = watch.dead(rows.filter(({ missing }) => missing))
        if (dead.length === 0) return { ...result, takenOver: [] }
        const takenOver = await database.run(takeOver, { missing: dead, embedded: database.embedded })
        return { ...result, takenOver: takenOver.map((worker) => worker.name) }
      } catch (error) {
        watch.failed()
        throw error
      }
    },
  }
}
