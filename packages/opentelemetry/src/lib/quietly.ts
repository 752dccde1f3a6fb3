import { diag } from '@opentelemetry/api'

/** What tells of the work must not fail it: processors and exporters are the platform's, and may throw. */
export function quietly<T>(tell: () => T): T | undefined {
  try {
    return tell()
  } catch (error) {
    diag.error('@callboard/opentelemetry', error)
    return undefined
  }
}
