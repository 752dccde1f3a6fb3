import { CallboardError } from '@callboard/core'

/** Outside of a transaction the event would be published even if what it tells of is rolled back. */
export function assertTransaction(isOne: boolean, made: string): void {
  if (!isOne) throw new CallboardError('CONFIGURATION_INVALID', `tx must be what ${made} gives to its callback.`)
}
