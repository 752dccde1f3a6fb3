import { createCallboard, defineCatalog, definePreviousType } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { startWorker } from '@callboard/delivery'
import { createTelemetry } from '@callboard/opentelemetry'
import { createRouter } from '@callboard/router'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import { freePort, startOwnPostgres, startReceiver, type TestReceiver } from '@callboard/testbed'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { Pool } from 'pg'
import { callerOf, issueKey, orderPaidEvent, thrownBy } from '../arrange.ts'
import { facadeOptions, type SampleCallboard } from '../on-each-store.ts'
import { checkedIn, orderPaid } from '../sample-catalog.ts'

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
  const { store, stop: stopStore } = await startStore()
  const callboard = createCallboard({
    ...facadeOptions({ store }),
    catalog,
    targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
    telemetry: createTelemetry({ meterProvider }),
  })
  const worker = await startWorker(callboard, { extraCaCertificates: [receiver.ca] })
  await exercise(callboard, receiver)
  return {
    address: `127.0.0.1:${port}`,
    async stop() {
      await worker.stop()
      await receiver.stop()
      await meterProvider.shutdown()
      await stopStore()
    },
  }
}

/** A store with a replica. */
async function startStore() {
  const primary = await startOwnPostgres()
  const replica = await primary.startStandby()
  const [pool, reader] = [primary, replica].map(({ url }) => new Pool({ connectionString: url })) as [Pool, Pool]
  const client = await pool.connect()
  await migrate(client)
  client.release()
  return {
    store: createPostgresStore({ pool, reader }),
    async stop() {
      await reader.end()
      await pool.end()
      await replica.stop()
      await primary.stop()
    },
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
