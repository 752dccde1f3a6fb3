import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from './free-port.ts'

/** A PgBouncer in front of one server. */
export interface PgBouncer {
  /** The URL that leads to this database through the pooler. */
  through(url: string): string
  stop(): Promise<void>
}

/** Where Debian's package installs the program. */
const PROGRAM = '/usr/sbin/pgbouncer'
/** How many connections PgBouncer opens to the server: so few that clients have to share them. */
const SERVER_CONNECTIONS = 3
const TRIES = 100

/** Starts Debian's PgBouncer: no package in the npm registry contains one. */
export async function startPgBouncer(url: string, mode: 'session' | 'transaction'): Promise<PgBouncer> {
  if (!existsSync(PROGRAM)) throw new Error('PgBouncer is missing. Install Debian’s package: apt-get install pgbouncer')
  const { hostname, port: serverPort, username, password } = new URL(url)
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'callboard-pgbouncer-'))
  const config = join(folder, 'pgbouncer.ini')
  await writeFile(
    config,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${mode === 'transaction' ? SERVER_CONNECTIONS : 50}
max_client_conn = 200
${process.getuid?.() === 0 ? 'user = postgres' : ''}
`,
  )
  // If root starts PgBouncer, it runs as the user postgres, which must be able to read the file.
  await chmod(folder, 0o755)
  const child = spawn(PROGRAM, [config], { stdio: 'ignore' })
  const through = (each: string): string => {
    const changed = new URL(each)
    changed.port = String(port)
    return changed.href
  }
  try {
    await answers(through(url), child)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return {
    through,
    async stop() {
      const ended = once(child, 'exit')
      if (child.kill('SIGKILL')) await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 1; ; tries++) {
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (tries === TRIES || child.exitCode !== null) throw new Error('PgBouncer did not start', { cause: error })
      await delay(50)
    }
  }
}
