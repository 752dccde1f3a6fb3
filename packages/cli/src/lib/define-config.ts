import type { Callboard } from '@callboard/core'
import type { WorkerOptions } from '@callboard/delivery'
import type { MigrationClient } from '@callboard/store-postgres'

/** The part of a `pg` pool that is used; a type test pins it to the real one. */
export interface ConfigPool {
  connect(): Promise<MigrationClient & { release(): void }>
  end(): Promise<void>
}

/** What `callboard.config.ts` exports by default. */
export interface CallboardConfig {
  /** The object that your platform holds: commands go by its catalogue, its keys and its hooks. */
  readonly callboard: Callboard
  /** The pool that its store is on: `migrate` and `doctor` ask it, and it is ended when a command is done. */
  readonly pool?: ConfigPool | undefined
  /** Options of the worker that `callboard worker` runs; those of `startWorker`, and its defaults. */
  readonly worker?: Omit<WorkerOptions, 'signal'> | undefined
  /** Schema of the tables; `callboard` by default. */
  readonly schema?: string | undefined
}

/**
 * Says what the command line works on; gives back what it is given.
 *
 * @example
 * import { defineConfig } from 'callboard'
 * import { callboard, pool } from './src/callboard.ts'
 *
 * export default defineConfig({ callboard, pool })
 */
export function defineConfig(config: CallboardConfig): CallboardConfig {
  return config
}
