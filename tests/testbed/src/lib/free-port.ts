import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * The ports to try: even numbers below the ephemeral ports (from 16000 on gVisor, 32768 on Linux), so that the system
 * gives none of them to other programs.
 */
const FIRST = 10_000
const PAIRS = 3_000

let next = randomInt(PAIRS)

/**
 * Returns a free port of 127.0.0.1, for a program that cannot choose a free port itself. Until this process ends, no
 * other call returns that port, in this process or another: the process keeps the odd port after it taken.
 */
export async function freePort(): Promise<number> {
  for (let attempts = 0; attempts < PAIRS; attempts++) {
    const port = FIRST + 2 * (next++ % PAIRS)
    const mark = await listenOn(port + 1)
    if (mark === undefined) continue
    mark.unref()
    const probe = await listenOn(port)
    if (probe !== undefined) {
      await closed(probe)
      return port
    }
    await closed(mark)
  }
  throw new Error(`no port from ${FIRST} to ${FIRST + 2 * PAIRS} is free`)
}

async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

async function closed(server: Server): Promise<void> {
  const closing = once(server, 'close')
  server.close()
  await closing
}
