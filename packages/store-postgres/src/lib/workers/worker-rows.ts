import { type DeliveryStore, type LearntLimits, readLearntLimits } from '@callboard/core/store'
import type { Database } from '../database/database.ts'
import { createDeathWatch } from './death-watch.ts'
import { type AttendRow, attend, followClock, takeOver, writeSession } from './worker-statements.ts'

/**
 * The longest time that a worker's first call of `attend` waits for the worker's lock, in milliseconds. With the lock,
 * a worker that crashes right after its start is replaced as fast as any other.
 */
const FIRST_LOCK_MS = 1_000

/**
 * The workers' rows. If a worker has a connection to listen on, it holds a lock in that connection's session. The
 * server releases the lock when the connection ends, so a worker whose lock is free has probably died.
 */
export function createWorkerRows(database: Database, schema: string): Pick<DeliveryStore, 'listenForWork' | 'attend'> {
  const watch = createDeathWatch(() => performance.now())
  /** The key of the lock that each listening worker of this process holds, if it holds one. */
  const sessions = new Map<string, string | undefined>()
  /**
   * For each listening worker, a promise that resolves once it is known whether the worker holds a lock, or after
   * `FIRST_LOCK_MS`.
   */
  const known = new Map<string, Promise<void>>()

  return {
    listenForWork(workerId, onWork) {
      let stopped = false
      let isKnown = (): void => undefined
      known.set(
        workerId,
        new Promise((resolve) => {
          const late = setTimeout(resolve, FIRST_LOCK_MS)
          isKnown = () => {
            clearTimeout(late)
            resolve()
          }
        }),
      )
      const stop = database.listen(schema, {
        onNotice: onWork,
        onSession(session) {
          isKnown()
          if (stopped || sessions.get(workerId) === session) return
          sessions.set(workerId, session)
          // An error can be ignored, because the worker's next call of `attend` writes the session too.
          database.run(writeSession, { id: workerId, session: session ?? null }).catch(() => undefined)
        },
      })
      return () => {
        stopped = true
        isKnown()
        known.delete(workerId)
        sessions.delete(workerId)
        stop()
      }
    },

    async attend({ id, name, details }) {
      const text = details === undefined ? null : JSON.stringify(details)
      try {
        await known.get(id)
        let rows: AttendRow[]
        let session: string | null
        const limits: LearntLimits[number][] = []
        // Repeats the call if the lock was taken or lost during it, because the row may then name the wrong lock.
        do {
          session = sessions.get(id) ?? null
          rows = await database.run(attend, { id, name, session, details: text })
          limits.push(...rows.flatMap((other) => readLearntLimits(other.limits)))
        } while (session !== (sessions.get(id) ?? null))
        if (rows.some(({ ahead }) => ahead)) await database.run(followClock, {})
        const clock = new Date(rows[0]?.clock ?? Number.NaN)
        const dead = watch.dead(rows.filter(({ missing }) => missing))
        if (dead.length === 0) return { takenOver: [], limits, clock }
        const takenOver = await database.run(takeOver, { missing: dead, embedded: database.embedded })
        return { takenOver: takenOver.map((worker) => worker.name), limits, clock }
      } catch (error) {
        watch.failed()
        throw error
      }
    },
  }
}
