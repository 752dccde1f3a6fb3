import { CallboardError } from '../errors.ts'

/** The largest value of options such as `maxKeys`. It fits into the 32-bit integers that a store may use. */
export const MAX_COUNT = 1_000_000_000

/**
 * Checks that each option is a whole number from `min` to `max`.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` naming the first option that is not.
 */
export function assertWhole(options: Readonly<Record<string, number>>, min: number, max: number): void {
  for (const [name, value] of Object.entries(options))
    if (!(Number.isInteger(value) && value >= min && value <= max))
      throw new CallboardError('CONFIGURATION_INVALID', `${name} must be a whole number from ${min} to ${max}.`)
}
