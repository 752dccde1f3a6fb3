import { type CallboardOptions, createCallboard } from '@callboard/core'
import { createTelemetry } from '@callboard/opentelemetry'
import type { SampleCallboard } from '../on-each-store.ts'
import type { SampleCatalog } from '../sample-catalog.ts'

/** The code that the README shows. */
export function openWatched({ catalog, store, secretKeys }: CallboardOptions<SampleCatalog, unknown>): SampleCallboard {
  const callboard = createCallboard({ catalog, store, secretKeys, telemetry: createTelemetry() })
  return callboard
}
