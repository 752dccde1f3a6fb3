import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
/** Where Debian's package installs each version's programs. */
const VERSIONS = '/usr/lib/postgresql'
const LOOKS = 200

/** A Postgres server from Debian's package, which also has `pg_dump` and `psql`. */
export interface DebianPostgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>
  /** Copies a database into another one with `pg_dump` and `psql`. */
  copy(from: string, to: string): Promise<void>
  stop(): Promise<void>
}

/** Starts Debian's Postgres: no package in the npm registry contains `pg_dump`. */
export async function startDebianPostgres(): Promise<DebianPostgres> {
  const versions = await readdir(VERSIONS).catch(() => [])
  const newest = versions.sort((a, b) => Number(a) - Number(b)).at(-1)
  if (newest === undefined) throw new Error('Postgres is missing. Install Debian’s package: apt-get install postgresql')
  const program = (name: string): string => join(VERSIONS, newest, 'bin', name)
  const folder = await mkdtemp(join(tmpdir(), 'callboard-debian-postgres-'))
  const data = join(folder, 'data')
  await mkdir(data)
  // Postgres refuses to run as root. The package has created the user postgres.
  const owner = userInfo().uid === 0 ? await ids('postgres') : {}
  if (owner.uid !== undefined && owner.gid !== undefined)
    for (const each of [folder, data]) await chown(each, owner.uid, owner.gid)
  await run(program('initdb'), ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-locale', data], owner)
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const flags = settings.flatMap((each) => ['-c', each])
  const server = spawn(program('postgres'), ['-D', data, '-p', String(port), ...flags], { ...owner, stdio: 'ignore' })
  const urlOf = (name: string): string => `postgres://postgres@127.0.0.1:${port}/${name}`
  await answers(urlOf('postgres'), server)
  return {
    async createDatabase(name) {
      const client = new Client({ connectionString: urlOf('postgres') })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      return urlOf(name)
    },
    async copy(from, to) {
      const { stdout } = await run(program('pg_dump'), [from], { maxBuffer: 1_000_000_000 })
      const restoring = run(program('psql'), ['--quiet', '--set=ON_ERROR_STOP=1', to])
      restoring.child.stdin?.end(stdout)
      await restoring
    },
    async stop() {
      const ended = once(server, 'exit')
      if (server.kill('SIGINT')) await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function ids(user: string): Promise<{ uid?: number; gid?: number }> {
  const id = async (option: string): Promise<number> => Number((await run('id', [option, user])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  for (let looks = 1; ; looks++) {
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (looks === LOOKS || server.exitCode !== null) throw new Error('Postgres did not start', { cause: error })
      await delay(50)
    }
  }
}
