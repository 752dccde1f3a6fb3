import { CallboardError } from '@callboard/core'

/**
 * Throws outside a transaction. An event published there would stay published even if the change it reports is rolled
 * back.
 */
export function assertTransaction(isOne: false, source: string): never
export function assertTransaction(isOne: boolean, source: string): void
export function assertTransaction(isOne: boolean, source: string): void {
  if (!isOne)
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      `tx must be the transaction that ${source} passes to its callback.`,
    )
}
