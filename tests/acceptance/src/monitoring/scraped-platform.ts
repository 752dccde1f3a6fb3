import { createCallboard, defineCatalog, definePreviousType } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { startWorker, type Worker } from '@callboard/delivery'
import { createTelemetry } from '@callboard/opentelemetry'
import { createRouter } from '@callboard/router'
import { freePort, startReceiver, type TestReceiver } from '@callboard/testbed'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { callerOf, issueKey, orderPaidEvent, thrownBy } from '../arrange.ts'
import { facadeOptions, type SampleCallboard } from '../on-each-store.ts'
import { checkedIn, orderPaid } from '../sample-catalog.ts'
import { memoryFixture } from '../stores.ts'

const [CURRENT, DEPRECATED] = ['2026-10-01', '2026-04-01']

const catalog = defineCatalog({
  version: CURRENT,
  types: [orderPaid, checkedIn],
  previous: [
    {
      version: DEPRECATED,
      deprecated: CURRENT,
      types: [
        definePreviousType(orderPaid, {
          schema: orderPaid.schema,
          sample: orderPaid.sample,
          personalDataPaths: [...orderPaid.personalDataPaths],
          down: (data) => data,
        }),
      ],
    },
  ],
})

export interface ScrapedPlatform {
  /** The address where OpenTelemetry's exporter for Prometheus answers. */
  readonly address: string
  stop(): Promise<void>
}

/** Starts a platform that reports something in every metric: some of its deliveries, requests and publishes fail. */
export async function startScrapedPlatform(): Promise<ScrapedPlatform> {
  const port = await freePort()
  const exporter = new PrometheusExporter({ host: '127.0.0.1', port, preventServerStart: true })
  const meterProvider = new MeterProvider({ readers: [exporter] })
  await exporter.startServer()
  const receiver = await startReceiver()
  const callboard = createCallboard({
    ...facadeOptions(await memoryFixture()),
    catalog,
    targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
    telemetry: createTelemetry({ meterProvider }),
  })
  const worker = await startWorker(callboard, { extraCaCertificates: [receiver.ca] })
  await exercise(callboard, receiver)
  return {
    address: `127.0.0.1:${port}`,
    stop: () => stopAll(worker, receiver, meterProvider),
  }
}

async function exercise(callboard: SampleCallboard, receiver: TestReceiver): Promise<void> {
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
  const { token } = await issueKey(callboard)
  const caller = await callerOf(callboard, token)
  receiver.answer('/fails', { status: 500 })
  for (const [path, apiVersion] of [
    ['/succeeds', CURRENT],
    ['/fails', CURRENT],
    ['/deprecated', DEPRECATED],
  ] as const)
    await engineOf(callboard).apiSubscriptions.create(
      { ...caller, apiVersion },
      { targetUrl: receiver.url(path), eventTypes: ['order.paid'], integration: 'other' },
    )
  await callboard.publish(orderPaidEvent())
  await thrownBy(callboard.publish(orderPaidEvent({ accountId: 'nobody' })))
  for (const path of ['/succeeds', '/fails', '/deprecated']) await receiver.received(path)
  const router = createRouter(callboard)
  for (const authorization of [`Bearer ${token}`, 'Bearer nobody'])
    await router.fetch(new Request('https://example.com/v1/me', { headers: { authorization } }))
}

async function stopAll(worker: Worker, receiver: TestReceiver, meterProvider: MeterProvider): Promise<void> {
  await worker.stop()
  await receiver.stop()
  await meterProvider.shutdown()
}
