import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * The first port to try. All ports to try are below the ephemeral ports (from 16000 on gVisor, 32768 on Linux), so that
 * the system gives none of them to other programs.
 */
const FIRST = 10_000
const EACH = 500
const WORKERS = 12

/** Up to `WORKERS` test files that run at the same time use separate ranges. */
const first = FIRST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS) * EACH
let next = randomInt(EACH)

/**
 * Returns a free port of 127.0.0.1, for a program that cannot choose a free port itself. No other test uses the port at
 * the same time.
 */
export async function freePort(): Promise<number> {
  for (let attempts = 0; attempts < EACH; attempts++) {
    const port = first + (next++ % EACH)
    if (await isFree(port)) return port
  }
  throw new Error(`no port from ${first} to ${first + EACH} is free`)
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const isListening = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isListening) return false
  const closed = once(probe, 'close')
  probe.close()
  await closed
  return true
}
