import type { Telemetry } from '@callboard/core/engine'
import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api'
import manifest from '../../package.json' with { type: 'json' }
import { observeStore } from './observe-store.ts'
import { watchAttempts } from './watch-attempts.ts'
import { watchPublishing } from './watch-publishing.ts'
import { watchRequests } from './watch-requests.ts'

export interface TelemetryOptions {
  /** Receives spans; the global provider by default. */
  readonly tracerProvider?: TracerProvider | undefined
  /**
   * Receives metrics; the global provider by default. The global provider must be set before `createTelemetry` is
   * called, so start the SDK first.
   */
  readonly meterProvider?: MeterProvider | undefined
  /**
   * Whether this process reads the gauges of the store, with one statement each time metrics are collected; true by
   * default. One process that reads the gauges is enough.
   */
  readonly observe?: boolean | undefined
  /**
   * Whether targets get a `traceparent` header; false by default, because the header reveals your trace ids to the
   * targets.
   */
  readonly traceTargets?: boolean | undefined
}

/**
 * Creates Callboard's spans and metrics through the OpenTelemetry API. Pass the result to `createCallboard` in each
 * process.
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
