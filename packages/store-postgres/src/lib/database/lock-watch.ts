import { setTimeout as delay } from 'node:timers/promises'
import type { LockWatch } from './database.ts'
import { KEEP_ALIVE, type PgListener } from './pg-listener.ts'

/** An answer that takes longer than this, in milliseconds, never comes: `await_lock` waits five seconds. */
const LOST_MS = 10_000
/** After an error, no new connection is opened for this long, in milliseconds. */
const PAUSE_MS = 5_000

/**
 * Waits for one lock at a time, on a connection that is open only while there is a lock to wait for.
 *
 * The server notices within a second when this process ends, so the wait does not outlive it.
 */
export function watchLocks(schema: string, open: () => PgListener | undefined, onEnd: () => void): LockWatch {
  let wanted: string | undefined
  let watched: string | undefined
  let client: PgListener | undefined
  let notBefore = Number.NEGATIVE_INFINITY
  let isStopped = false

  /** Waits until nobody holds the lock, or for five seconds. Resolves to whether nobody holds it. */
  const wait = async (on: PgListener, key: string): Promise<boolean> => {
    const answer = on.query(`select ${schema}.await_lock(${key}) as free`)
    const lost = delay(LOST_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer')))
    const { rows } = await Promise.race([answer, lost])
    const [row] = rows
    return typeof row === 'object' && row !== null && 'free' in row && row.free === true
  }

  const goOn = async (on: PgListener): Promise<void> => {
    client = on
    on.on('error', () => undefined)
    try {
      await on.connect()
      await on.query(`${KEEP_ALIVE}; set statement_timeout = 0`)
      // Some platforms refuse this setting.
      await on.query('set client_connection_check_interval = 1000').catch(() => undefined)
      while (wanted !== undefined && !isStopped) {
        watched = wanted
        if (!(await wait(on, watched)) || watched !== wanted) continue
        wanted = undefined
        onEnd()
      }
    } catch {
      notBefore = performance.now() + PAUSE_MS
      if (!isStopped) onEnd()
    } finally {
      watched = undefined
      client = undefined
      await on.end().catch(() => undefined)
    }
  }

  return {
    watch(key) {
      wanted = key
      if (key === undefined || client !== undefined || isStopped || performance.now() < notBefore) return
      const opened = open()
      if (opened !== undefined) void goOn(opened)
    },
    watched: () => watched,
    stop() {
      isStopped = true
      void client?.end().catch(() => undefined)
    },
  }
}
