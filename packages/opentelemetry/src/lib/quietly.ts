import { diag } from '@opentelemetry/api'

/** Calls `tell`. Logs an error instead of throwing it, because the platform's processors and exporters can throw. */
export function quietly<T>(tell: () => T): T | undefined {
  try {
    return tell()
  } catch (error) {
    diag.error('@callboard/opentelemetry', error)
    return undefined
  }
}
