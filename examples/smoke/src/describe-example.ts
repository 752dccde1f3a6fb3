import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type ExampleProcess, type StartExampleOptions, startExample } from './example-process.ts'
import { startTarget, type Target } from './target.ts'

const subscription = z.object({ id: z.string(), secret: z.string() })

/** Tests the example on one runtime. All its tests share one process, which uses the embedded database. */
export function describeExample(runtime: string, command: StartExampleOptions['command']): void {
  describe(`the ticketing platform on ${runtime}`, () => {
    let dataDir: string
    let target: Target
    let example: ExampleProcess

    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'callboard-example-'))
      target = await startTarget()
      const environment = { NODE_EXTRA_CA_CERTS: target.certificateFile }
      example = await startExample({ command, dataDir, environment })
    })

    afterAll(async () => {
      await example?.signal('SIGKILL')
      await target?.close()
      await rm(dataDir, { recursive: true, force: true })
    })

    it('answers GET requests for /v1/me, /v1/event-types and /v1/events', async () => {
      const me = await example.call('GET', '/v1/me')
      expect(me).toMatchObject({ status: 200, body: { entity: { id: 'acct_demo' } } })

      const types = await example.call('GET', '/v1/event-types')
      expect(types).toMatchObject({ status: 200, body: { apiVersion: '2026-10-01' } })

      const id = await example.sell()
      const events = await example.call('GET', '/v1/events?type=order.paid&limit=1')
      expect(events).toMatchObject({ status: 200, body: { data: [{ id, type: 'order.paid' }] } })
    })

    it('delivers a sold ticket with a valid signature, and removes the subscription', async () => {
      const body = { targetUrl: target.url, eventTypes: ['order.paid'], integration: 'other' }
      const created = await example.call('POST', '/v1/webhooks/subscriptions', { body })
      expect(created.status).toBe(201)
      const { id, secret } = subscription.parse(created.body)
      target.trust(secret)

      const event = await example.sell()
      expect(await target.received(event)).toMatchObject({ id: event, data: { order: { status: 'paid' } } })

      const removed = await example.call('DELETE', `/v1/webhooks/subscriptions/${id}`)
      expect(removed).toEqual({ status: 204, body: undefined })
    })

    it('stops gracefully on SIGTERM', async () => {
      expect(await example.signal('SIGTERM')).toBe(0)
      expect(example.output()).toMatch(/Stopped\.\s*$/)
    })
  })
}
