import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give to whoever asks for any (from 16000 on gVisor, 32768 on Linux): nobody is given one meanwhile. */
const FIRST = 10_000
const EACH = 500
const WORKERS = 12

/** Files that vitest runs at once look among ports of their own. */
const first = FIRST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS) * EACH
let next = randomInt(EACH)

/** A port of 127.0.0.1 for a program that has to be told one: free now, and left alone by others until that program takes it. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < EACH; tries++) {
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
