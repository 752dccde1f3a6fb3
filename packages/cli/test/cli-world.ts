import { tmpdir } from 'node:os'
import { PassThrough } from 'node:stream'
import { type Callboard, createId } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import type { SubscriptionRef } from '@callboard/core/store'
import { migrate } from '@callboard/store-postgres'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { runProgram } from '../src/lib/program.ts'
import { type BuiltCli, buildCli, platformFolder, type Run, type RunOptions } from './built-cli.ts'
import { openPlatform } from './platform/callboard.ts'

/**
 * A migrated database with the account `acc_1`, a platform that uses the database, and the binary, which runs in the
 * folder of the platform's config module.
 */
export interface CliWorld {
  readonly callboard: Callboard
  readonly pool: Pool
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>
  /** Runs the binary with the platform's config module. */
  run(words: string | readonly string[], options?: RunOptions): Promise<Run>
  /** Runs a command with `--json` and returns the document that the command prints. Throws if the command fails. */
  json(words: string): Promise<unknown>
  /** Runs the binary in a folder without a config module, with `DATABASE_URL` set. */
  runWithoutConfig(words: string, options?: RunOptions): Promise<Run>
  /** Runs a command in this process on a terminal with colours, where somebody types `answer`; stderr is a pipe. */
  runOnTerminal(words: string, answer?: string): Promise<Run>
  subscribe(targetUrl: string): Promise<SubscriptionRef>
  /** Publishes `count` events and sequences them, as a worker does. */
  publish(count: number): Promise<string[]>
}

/** Creates a world for the test file that calls this function. */
export function cliWorld(): CliWorld {
  let cli: BuiltCli
  let postgres: TestPostgres
  let platform: ReturnType<typeof openPlatform>
  let env: { DATABASE_URL: string }

  beforeAll(async () => {
    ;[cli, postgres] = await Promise.all([buildCli(), startPostgres()])
    env = { DATABASE_URL: await postgres.createDatabase() }
    platform = openPlatform(env.DATABASE_URL)
    const client = await platform.pool.connect()
    await migrate(client)
    client.release()
    await platform.callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  })

  afterAll(async () => {
    await platform?.pool.end()
    await Promise.all([cli?.remove(), postgres?.stop()])
  })

  const run: CliWorld['run'] = (words, options = {}) =>
    cli.run(words, { folder: platformFolder, ...options, env: { ...env, ...options.env } })

  return {
    get callboard() {
      return platform.callboard
    },
    get pool() {
      return platform.pool
    },
    createDatabase: () => postgres.createDatabase(),
    run,
    async json(words) {
      const { code, stdout, stderr } = await run(`${words} --json`)
      if (code !== 0) throw new Error(`callboard ${words}: ${code}: ${stderr}`)
      return JSON.parse(stdout)
    },
    runWithoutConfig: (words, options = {}) => cli.run(words, { ...options, env: { ...env, ...options.env } }),
    async runOnTerminal(words, answer = '') {
      const open = () =>
        Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 300, getColorDepth: () => 8 })
      const [stdin, stdout, stderr] = [open(), open(), new PassThrough({ encoding: 'utf8' })]
      stdin.end(answer)
      const { signal } = new AbortController()
      const process = { stdin, stdout, stderr, env, folder: tmpdir(), signal: () => signal }
      const code = await runProgram(words.split(' '), '1.0.0', process)
      return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
    },
    async subscribe(targetUrl) {
      const { admissions, apiSubscriptions } = engineOf(platform.callboard)
      const { token } = await platform.callboard.keys.issue({
        accountId: 'acc_1',
        name: 'Zapier',
        scopes: ['webhooks.write'],
      })
      const admission = await admissions.admit(`Bearer ${token}`)
      if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
      const { id, accountId, mode } = await apiSubscriptions.create(admission.caller, {
        targetUrl,
        eventTypes: ['order.paid'],
        integration: 'zapier',
      })
      return { id, accountId, mode }
    },
    async publish(count) {
      const { catalog, publishMany } = platform.callboard
      const { deliveries } = engineOf(platform.callboard).store
      const [type] = catalog.types
      if (type === undefined) throw new Error('the catalogue is empty')
      const ids = Array.from({ length: count }, () => createId('evt'))
      await publishMany(
        ids.map((id) => ({
          id,
          accountId: 'acc_1',
          type: type.name,
          subject: { type: 'order', id: 'ord_1' },
          data: type.sample,
        })),
      )
      while ((await deliveries.sequence(1_000)).sequenced > 0);
      return ids
    },
  }
}
