import { createCallboard, type RateLimits, type SubscriptionWithSecret } from '@callboard/core'
import { engineOf, type Telemetry } from '@callboard/core/engine'
import { createTelemetry, type TelemetryOptions } from '@callboard/opentelemetry'
import { createRouter, type Router } from '@callboard/router'
import type { Attributes } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { callerOf, issueKey } from '../arrange.ts'
import { facadeOptions, type SampleCallboard } from '../on-each-store.ts'
import { memoryFixture } from '../stores.ts'

/** One data point of a metric: a number, or the count of a histogram. */
export interface Point {
  readonly attributes: Attributes
  readonly value: number
}

/** An SDK that exports to memory. */
export interface Watching {
  readonly tracerProvider: TracerProvider
  /** Creates one process's telemetry. Its spans and metrics are exported to this object. */
  telemetry(options?: TelemetryOptions): Telemetry
  /** All ended spans, or only those with the name `name`. */
  spans(name?: string): ReadableSpan[]
  /** The points of a metric, read now. */
  points(metric: string): Promise<Point[]>
  /** Names and units of all metrics. */
  units(): Promise<Record<string, string>>
  /** Everything exported, as text. */
  everything(): Promise<string>
}

export function startWatching(): Watching {
  const spans = new InMemorySpanExporter()
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] })
  const exported = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: exported, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const metrics = async () => {
    exported.reset()
    await meterProvider.forceFlush()
    return exported.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  }
  return {
    tracerProvider,
    telemetry: (options) => createTelemetry({ tracerProvider, meterProvider, ...options }),
    spans: (name) => spans.getFinishedSpans().filter((span) => name === undefined || span.name === name),
    async points(metric) {
      const found = (await metrics()).filter(({ descriptor }) => descriptor.name === metric)
      return found.flatMap(({ dataPoints }) =>
        dataPoints.map(({ attributes, value }) => ({
          attributes,
          value: typeof value === 'number' ? value : value.count,
        })),
      )
    },
    async units() {
      return Object.fromEntries((await metrics()).map(({ descriptor: { name, unit } }) => [name, unit]))
    },
    async everything() {
      const told = spans.getFinishedSpans().map(({ name, attributes, events, status, links }) => {
        return { name, attributes, events, status, links }
      })
      return JSON.stringify([told, await metrics()])
    },
  }
}

/** A platform on the memory store with telemetry, and its router mounted at `/api`. */
export async function watchedPlatform(rateLimits?: RateLimits): Promise<{
  readonly watching: Watching
  readonly callboard: SampleCallboard
  readonly router: Router
  readonly token: string
  readonly subscribe: () => Promise<SubscriptionWithSecret>
}> {
  const watching = startWatching()
  const options = facadeOptions(await memoryFixture())
  const callboard = createCallboard({ ...options, rateLimits, telemetry: watching.telemetry() })
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
  const { token } = await issueKey(callboard)
  return {
    watching,
    callboard,
    router: createRouter(callboard, { basePath: '/api' }),
    token,
    subscribe: async () =>
      engineOf(callboard).apiSubscriptions.create(await callerOf(callboard, token), {
        targetUrl: 'https://hooks.example.com/',
        eventTypes: ['order.paid'],
        integration: 'zapier',
      }),
  }
}
