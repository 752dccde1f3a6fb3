import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

export interface RedisServer {
  /** The path of its socket. */
  readonly path: string
  stop(): Promise<void>
}

/**
 * The machine's own Redis, or none. It writes its log to the disk each second, as BullMQ's guide for production asks: less
 * than the commits of the others promise.
 */
export async function startRedis(): Promise<RedisServer | undefined> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'callboard-redis-'))
  const path = join(folder, 'socket')
  const settings = { port: 0, unixsocket: path, dir: folder, save: '', appendonly: 'yes', appendfsync: 'everysec' }
  const server = spawn(
    'redis-server',
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: 'ignore' },
  )
  const client = new Redis(path)
  // Until it listens, each try to connect ends in an error; the client tries again by itself.
  client.on('error', () => undefined)
  await client.ping()
  await client.quit()
  return {
    path,
    async stop() {
      const ended = once(server, 'exit')
      server.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
