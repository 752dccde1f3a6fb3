import type { SeenAttempt, SeenEvent, SeenRequest, Telemetry } from '@callboard/core/engine'
import { type Meter, type MeterProvider, metrics, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
  MeterProvider as SdkMeterProvider,
} from '@opentelemetry/sdk-metrics'
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { afterEach, describe, expect, it } from 'vitest'
import { createTelemetry } from '../index.ts'

const REQUEST: SeenRequest = {
  requestId: 'req_1',
  request: { method: 'GET', url: 'https://example.com/v1/me' },
  route: '/v1/me',
  caller: undefined,
}
const EVENT: SeenEvent = { type: 'order.paid', accountId: 'acc', mode: 'live' }
const ATTEMPT: SeenAttempt = {
  accountId: 'acc',
  mode: 'live',
  subscriptionId: 'sub_1',
  eventId: 'evt_1',
  type: 'order.paid',
  version: '2026-04-01',
  deprecated: true,
  number: 1,
  target: { host: 'hooks.example.com', port: 443 },
  trace: undefined,
}
const ANSWER = { status: 200 }
const DELIVERED = { kind: 'response', status: 200 }

/** Calls each function of the telemetry with some work. Returns the results, and how many times the work ran. */
async function work(telemetry: Telemetry): Promise<unknown[]> {
  let done = 0
  const results = [
    await telemetry.request(REQUEST, async () => ({ ...ANSWER, done: ++done })),
    await telemetry.publish([EVENT], async () => {
      done++
      return []
    }),
    await telemetry.attempt(ATTEMPT, async () => ({ ...DELIVERED, done: ++done })),
  ]
  telemetry.recorded([
    {
      id: 'att_1',
      eventId: 'evt_1',
      number: 1,
      outcome: 'delivered',
      status: 200,
      reason: undefined,
      durationMs: 5,
    },
  ])
  return [...results, done]
}
const WORKED = [{ ...ANSWER, done: 1 }, [], { ...DELIVERED, done: 3 }, 3]

/** A span processor that throws from one method. */
function throwing(method: string): SpanProcessor {
  const fail = (): never => {
    throw new Error(`${method} fails`)
  }
  const quiet = (): void => undefined
  return {
    onStart: method === 'onStart' ? fail : quiet,
    onEnd: method === 'onEnd' ? fail : quiet,
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  }
}

/** Meters whose instruments always throw. */
const throwingMeters: MeterProvider = {
  getMeter(...values): Meter {
    const meter = new SdkMeterProvider().getMeter(...values)
    const fail = (): never => {
      throw new Error('an instrument fails')
    }
    return {
      createGauge: (...of) => ({ ...meter.createGauge(...of), record: fail }),
      createHistogram: (...of) => ({ ...meter.createHistogram(...of), record: fail }),
      createCounter: (...of) => ({ ...meter.createCounter(...of), add: fail }),
      createUpDownCounter: (...of) => ({ ...meter.createUpDownCounter(...of), add: fail }),
      createObservableGauge: (...of) => meter.createObservableGauge(...of),
      createObservableCounter: (...of) => meter.createObservableCounter(...of),
      createObservableUpDownCounter: (...of) => meter.createObservableUpDownCounter(...of),
      addBatchObservableCallback: (...of) => meter.addBatchObservableCallback(...of),
      removeBatchObservableCallback: (...of) => meter.removeBatchObservableCallback(...of),
    }
  },
}

describe('telemetry', () => {
  afterEach(() => {
    trace.disable()
    metrics.disable()
  })

  it('runs the work without an SDK, returns its result, and passes on no traceparent', async () => {
    const telemetry = createTelemetry()
    expect(await work(telemetry)).toEqual(WORKED)
    const traces: unknown[] = []
    await telemetry.publish([EVENT], async (kept) => {
      traces.push(kept)
      return []
    })
    await createTelemetry({ traceTargets: true }).attempt(ATTEMPT, async (sent) => {
      traces.push(sent)
      return DELIVERED
    })
    expect(traces).toEqual([undefined, undefined])
  })

  it.each(['onStart', 'onEnd'])('does not fail the work when a span processor throws from %s', async (method) => {
    const tracerProvider = new TracerProvider({ spanProcessors: [throwing(method)] })
    expect(await work(createTelemetry({ tracerProvider }))).toEqual(WORKED)
  })

  it('does not fail the work when instruments throw', async () => {
    expect(await work(createTelemetry({ meterProvider: throwingMeters }))).toEqual(WORKED)
  })

  it('throws the same error as the work', async () => {
    const telemetry = createTelemetry({ tracerProvider: new TracerProvider() })
    const error = new Error('the store failed')
    const fail = (): Promise<never> => Promise.reject(error)
    await expect(telemetry.request(REQUEST, fail)).rejects.toBe(error)
    await expect(telemetry.publish([EVENT], fail)).rejects.toBe(error)
    await expect(telemetry.attempt(ATTEMPT, fail)).rejects.toBe(error)
  })

  it('uses the global SDK by default', async () => {
    const exporter = new InMemorySpanExporter()
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
    await work(createTelemetry())
    expect(
      exporter.getFinishedSpans().map(({ name, instrumentationScope }) => [name, instrumentationScope.name]),
    ).toEqual(
      ['GET /v1/me', 'publish order.paid', 'deliver order.paid'].map((name) => [name, '@callboard/opentelemetry']),
    )
  })

  it('does not sample the attempts of an event if its publish span was not sampled', async () => {
    const exporter = new InMemorySpanExporter()
    const kept: (string | undefined)[] = []
    const publisher = createTelemetry({ tracerProvider: new TracerProvider({ sampler: new AlwaysOffSampler() }) })
    await publisher.publish([EVENT], async (traceparent) => {
      kept.push(traceparent)
      return []
    })
    expect(kept).toEqual([expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)])
    const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
    const worker = createTelemetry({ tracerProvider })
    await worker.attempt({ ...ATTEMPT, trace: kept[0] }, async () => DELIVERED)
    expect(exporter.getFinishedSpans()).toEqual([])
  })

  it.each(['', 'x', '00-0-0-01', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`])(
    'starts a new trace when the stored traceparent is %j',
    async (kept) => {
      const exporter = new InMemorySpanExporter()
      const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
      await createTelemetry({ tracerProvider }).attempt({ ...ATTEMPT, trace: kept }, async () => DELIVERED)
      expect(exporter.getFinishedSpans()).toMatchObject([{ parentSpanContext: undefined }])
    },
  )

  it('measures only requests, and no attempt that ended before its request', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 })
    const meterProvider = new SdkMeterProvider({ readers: [reader] })
    const { attempt } = createTelemetry({ meterProvider })
    for (const outcome of [DELIVERED, { kind: 'failed', reason: 'dns' }, { kind: 'unprepared' }, { kind: 'postponed' }])
      await attempt(ATTEMPT, async () => outcome)
    await meterProvider.forceFlush()
    const [measured] = exporter.getMetrics()
    const all = measured?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
    const requests = all.find(({ descriptor }) => descriptor.name === 'http.client.request.duration')
    expect(requests?.dataPoints.map(({ attributes }) => attributes)).toEqual([
      { 'http.request.method': 'POST', 'http.response.status_code': 200 },
      { 'http.request.method': 'POST', 'error.type': 'dns' },
    ])
    await meterProvider.shutdown()
  })
})
