import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

export interface RedisServer {
  /** The path of the server's Unix socket. */
  readonly path: string
  stop(): Promise<void>
}

/**
 * Starts the machine's own Redis, if there is one. Redis syncs its log to the disk once a second, as BullMQ's
 * production guide recommends. That is less durable than the commits of the other rivals.
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
  // Connecting fails until the server listens, but the client retries automatically.
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
