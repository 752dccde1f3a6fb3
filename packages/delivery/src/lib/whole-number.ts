import { CallboardError } from '@callboard/core'

/** Throws `CONFIGURATION_INVALID` unless every value of `options` is a whole number from `min` to `max`. */
export function assertWhole(options: Readonly<Record<string, number>>, min: number, max: number): void {
  for (const [name, value] of Object.entries(options))
    if (!(Number.isInteger(value) && value >= min && value <= max))
      throw new CallboardError('CONFIGURATION_INVALID', `${name} must be a whole number from ${min} to ${max}.`)
}
