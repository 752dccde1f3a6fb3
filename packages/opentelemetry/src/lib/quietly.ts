import { diag } from '@opentelemetry/api'

/**
 * Calls `tell`, which records telemetry. If `tell` throws, for example because a span processor of the platform throws,
 * this function logs the error and returns undefined.
 */
export function quietly<T>(tell: () => T): T | undefined {
  try {
    return tell()
  } catch (error) {
    diag.error('@callboard/opentelemetry', error)
    return undefined
  }
}
