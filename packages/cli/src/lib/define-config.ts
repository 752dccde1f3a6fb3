import type { Callboard, Mode } from '@callboard/core'
import type { WorkerOptions } from '@callboard/delivery'
import type { MigrationClient } from '@callboard/store-postgres'

/** The part of a `pg` pool that the command line uses. A test checks that a real pool matches this type. */
export interface ConfigPool {
  connect(): Promise<MigrationClient & { release(): void }>
  end(): Promise<void>
}

/** The default export of `callboard.config.ts`. */
export interface CallboardConfig {
  /** Your platform's Callboard. Commands use its catalogue, secret keys and hooks. */
  readonly callboard: Callboard
  /** The pool that the store uses. `migrate` needs it, and every command closes it at the end. */
  readonly pool?: ConfigPool | undefined
  /** The options that `callboard worker` passes to `startWorker`. */
  readonly worker?: Omit<WorkerOptions, 'signal'> | undefined
  /**
   * The address of the dashboard, such as `https://app.example/webhooks`, or a function that returns it for an account
   * and mode. Commands that show a subscription or a delivery then print a link to its page.
   */
  readonly dashboardUrl?: string | ((owner: { readonly accountId: string; readonly mode: Mode }) => string) | undefined
  /** Schema of the tables; `callboard` by default. */
  readonly schema?: string | undefined
}

/**
 * Returns the configuration unchanged. It exists so that TypeScript checks the fields and editors complete their names.
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
