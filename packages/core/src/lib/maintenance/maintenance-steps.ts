import { validationFailed } from '../validation/validation.ts'

/** @throws CallboardError `VALIDATION_FAILED` unless all bounds are whole numbers of at least 1. */
export function assertSteps(bounds: Readonly<Record<string, number>>): void {
  for (const [path, bound] of Object.entries(bounds)) {
    if (Number.isSafeInteger(bound) && bound > 0) continue
    throw validationFailed({ path, code: 'RANGE', message: `${path} must be a whole number, 1 or more.` })
  }
}
