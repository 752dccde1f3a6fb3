import { parseData } from '../events/parse-data.ts'
import { createRedactor } from '../personal-data/redact.ts'
import type { PreviousType } from './previous-type.ts'

/**
 * Converts the JSON text of `data` from the next newer shape. `personalData` says whether the text contains personal
 * data.
 */
export type Conversion = (data: string, personalData: boolean) => string

/**
 * Creates the function that converts the text of `data` to a previous shape. If the text contains no personal data, the
 * result is also redacted at the personal-data paths of the previous shape.
 *
 * @throws whatever `down` throws, and TypeError when its result is not a JSON object.
 */
export function createConversion(type: PreviousType): Conversion {
  const serialise = createRedactor([])
  const redact = createRedactor(type.personalDataPaths)
  return (data, personalData) => {
    const result: unknown = type.down(parseData(data))
    if (typeof result !== 'object' || result === null || Array.isArray(result) || result instanceof Promise)
      throw new TypeError('down must return a JSON object')
    return (personalData ? serialise : redact)(result).redacted
  }
}
