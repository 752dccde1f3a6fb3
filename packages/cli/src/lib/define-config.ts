import type { Callboard } from '@callboard/core'
import type { WorkerOptions } from '@callboard/delivery'
import type { MigrationClient } from '@callboard/store-postgres'

/** The part of a `pg` pool that the command line uses; a type test pins it to the real one. */
export interface ConfigPool {
  connect(): Promise<MigrationClient & { release(): void }>
  end(): Promise<void>
}

/** The default export of `callboard.config.ts`. */
export interface CallboardConfig {
  /** Your platform's Callboard: commands use its catalogue, its keys and its hooks. */
  readonly callboard: Callboard
  /** The pool of its store: `migrate` runs on it, and each command ends it when done. */
  readonly pool?: ConfigPool | undefined
  /** Options of the worker that `callboard worker` runs, as for `startWorker`. */
  readonly worker?: Omit<WorkerOptions, 'signal'> | undefined
  /** Schema of the tables; `callboard` by default. */
  readonly schema?: string | undefined
}

/**
 * Types the configuration of the command line, and returns it unchanged.
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
