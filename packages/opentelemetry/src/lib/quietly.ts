import { diag } from '@opentelemetry/api'

/**
 * Calls `tell`, which records telemetry. If the platform's span processors or exporters throw, logs the error instead
 * of throwing it, and returns undefined.
 */
export function quietly<T>(tell: () => T): T | undefined {
  try {
    return tell()
  } catch (error) {
    diag.error('@callboard/opentelemetry', error)
    return undefined
  }
}
