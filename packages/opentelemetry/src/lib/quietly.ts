import { diag } from '@opentelemetry/api'

/** Keeps telemetry from failing the work: processors and exporters belong to the platform, and may throw. */
export function quietly<T>(tell: () => T): T | undefined {
  try {
    return tell()
  } catch (error) {
    diag.error('@callboard/opentelemetry', error)
    return undefined
  }
}
