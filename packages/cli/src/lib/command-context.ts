import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Callboard } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { byOperator } from './by-operator.ts'
import { wrongUsage } from './command-error.ts'
import { confirm } from './confirm.ts'
import type { CallboardConfig, ConfigPool } from './define-config.ts'
import { loadConfig } from './load-config.ts'
import { createMessages, type Messages } from './messages.ts'
import { createOutput, type Output, type TextStream } from './output.ts'
import { withoutConfig } from './without-config.ts'

/**
 * The time that a pool has to close, in milliseconds. Without a limit, `end` would wait for ever for a connection that
 * is being opened to a server that does not answer.
 */
const CLOSE_MS = 1_000

/** Options of every command. */
export interface GlobalOptions {
  readonly json?: boolean | undefined
  /** False with `--no-config`. */
  readonly config?: string | false | undefined
  readonly schema?: string | undefined
}

/** The process that the program runs in. */
export interface ProcessContext {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly folder: string
  /**
   * Takes over SIGINT (Ctrl-C) and SIGTERM. The first of these signals aborts the returned AbortSignal, so that the
   * command stops by itself. The second ends the process or, if `again` is given, calls `again`. The third always ends
   * the process.
   */
  readonly signal: (again?: () => void) => AbortSignal
}

/** Everything that a command works with: the platform, its database, stdout and stderr. */
export interface CommandContext extends Pick<ProcessContext, 'stdin' | 'env' | 'folder' | 'signal'> {
  /**
   * Opens the platform's Callboard, and checks that its store answers and is migrated.
   *
   * @param needs names what the command takes from a config module, such as `your catalogue`; if omitted,
   * `DATABASE_URL` is enough.
   * @throws CommandError if the config module or `DATABASE_URL` is missing; CallboardError `UNAVAILABLE` or
   * `CONFIGURATION_INVALID` from the store.
   */
  open(needs?: string): Promise<Callboard>
  /**
   * Returns the configuration without checking its store. `configured` tells whether it is from a config module.
   *
   * @param needs as for `open`.
   */
  platform(needs?: string): Promise<CallboardConfig & { readonly configured: boolean }>
  /** Opens the database itself, for work that the Callboard object cannot do. The database need not be migrated. */
  openDatabase(): Promise<{ readonly pool: ConfigPool; readonly schema: string | undefined }>
  /** The schema that an option, the environment or the config module names; undefined if none does. */
  schema(): Promise<string | undefined>
  /** Asks a person to confirm something. Throws CommandError unless the answer is yes. */
  confirm(question: string): Promise<void>
  /**
   * Reports the success of a command that has no result of its own: prints `document` with `--json`, otherwise `note`.
   */
  done(document: unknown, note: string): void
  /** Results, on stdout. */
  readonly out: Output
  /** Notes, progress and errors, on stderr. */
  readonly err: Messages
}

export interface OwnedContext extends CommandContext {
  /** Closes the pool, if one was opened; waits for at most {@link CLOSE_MS}. */
  close(): Promise<void>
}

export function createCommandContext(process: ProcessContext, options: () => GlobalOptions): OwnedContext {
  const { stdin, env, folder, signal } = process
  const isJson = (): boolean => options().json === true
  const givenSchema = (): string | undefined => options().schema ?? env['CALLBOARD_SCHEMA']

  const config = once(async (): Promise<CallboardConfig | undefined> => {
    const { config: named } = options()
    return named === false ? undefined : loadConfig(folder, named)
  })
  const platform = once(async () => (await config()) ?? withoutConfig(env, givenSchema()))

  /** Refuses a `--schema` that differs from the config module's: the module's store would silently ignore it. */
  const assertSchemaIsTheStores = async (): Promise<void> => {
    const { schema } = options()
    const configured = await config()
    if (schema !== undefined && configured !== undefined && schema !== configured.schema)
      throw wrongUsage(
        'The config module has another schema than --schema. ' +
          'To run this command on the schema that --schema names, add --no-config.',
      )
  }

  const assertConfigured = async (needs: string | undefined): Promise<void> => {
    if (needs !== undefined && (await config()) === undefined)
      throw wrongUsage(
        `This command needs ${needs}: run it in the folder of callboard.config.ts, or name that file with --config.`,
      )
    await assertSchemaIsTheStores()
  }

  const out = createOutput(process.stdout, isJson)
  const err = createMessages(process.stderr, isJson)

  return {
    stdin,
    env,
    folder,
    signal,
    out,
    err,
    confirm: (question) => confirm(question, stdin, process.stderr),
    done(document, note) {
      if (out.json) out.document(document)
      else err.note(note)
    },
    async open(needs) {
      await assertConfigured(needs)
      const { callboard } = await platform()
      await engineOf(callboard).store.ready()
      return byOperator(callboard, env)
    },
    async platform(needs) {
      await assertConfigured(needs)
      return { ...(await platform()), configured: (await config()) !== undefined }
    },
    async openDatabase() {
      const { pool, schema } = await platform()
      if (pool === undefined)
        throw wrongUsage('This command needs the database: add `pool` to the config that callboard.config.ts exports.')
      return { pool, schema: givenSchema() ?? schema }
    },
    async schema() {
      return givenSchema() ?? (await config())?.schema
    },
    async close() {
      if (!platform.started()) return
      const { pool } = await platform()
      await Promise.race([pool?.end(), delay(CLOSE_MS)])
    },
  }
}

function once<Result>(make: () => Promise<Result>): (() => Promise<Result>) & { started(): boolean } {
  let made: Promise<Result> | undefined
  const call = (): Promise<Result> => {
    made ??= make()
    return made
  }
  return Object.assign(call, { started: () => made !== undefined })
}
