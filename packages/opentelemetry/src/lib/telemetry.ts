import type { Telemetry } from '@callboard/core/engine'
import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api'
import manifest from '../../package.json' with { type: 'json' }
import { observeStore } from './observe-store.ts'
import { watchAttempts } from './watch-attempts.ts'
import { watchPublishing } from './watch-publishing.ts'
import { watchRequests } from './watch-requests.ts'

export interface TelemetryOptions {
  /** Where spans go; the global provider by default. */
  readonly tracerProvider?: TracerProvider | undefined
  /** Where metrics go; by default the global provider, as it is when this is called: start the SDK first. */
  readonly meterProvider?: MeterProvider | undefined
  /** Whether this process looks at what waits in the store, by one statement each time that metrics are read; true by default. One process is enough. */
  readonly observe?: boolean | undefined
  /** Whether targets get a `traceparent` header; false by default, for it tells strangers ids of your traces. */
  readonly traceTargets?: boolean | undefined
}

/**
 * Spans and metrics of one Callboard, by the OpenTelemetry API: give it to `createCallboard`, in each process that has one.
 *
 * @example
 * const callboard = createCallboard({ catalog, store, secretKeys, telemetry: createTelemetry() })
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const { tracerProvider = trace, meterProvider = metrics, observe = true, traceTargets = false } = options
  const tracer = tracerProvider.getTracer(manifest.name, manifest.version)
  const meter = meterProvider.getMeter(manifest.name, manifest.version)
  return {
    request: watchRequests(tracer, meter),
    publish: watchPublishing(tracer, meter),
    ...watchAttempts(tracer, meter, { traceTargets }),
    observe: observe ? observeStore(meter) : () => undefined,
  }
}
