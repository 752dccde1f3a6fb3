// Callboard's spans go to the platform's own tracer provider.
import assert from 'node:assert/strict'
import { createCallboard } from '@callboard/core'
import { createTelemetry } from '@callboard/opentelemetry'
import { createMemoryStore } from '@callboard/store-memory'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { catalog, paid, secretKeys } from './catalog.ts'

const exporter = new InMemorySpanExporter()
const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
const callboard = createCallboard({
  catalog,
  store: createMemoryStore(),
  secretKeys,
  telemetry: createTelemetry({ tracerProvider }),
})
await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })

await callboard.publish(paid('ord_1'))
await tracerProvider.forceFlush()
assert.deepEqual(
  exporter.getFinishedSpans().map(({ name }) => name),
  ['publish order.paid'],
)
