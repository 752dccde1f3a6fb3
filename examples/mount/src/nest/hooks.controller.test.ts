import 'reflect-metadata'
import { generateSecret, sign } from '@callboard/signature'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { expect, it, vi } from 'vitest'
import { HooksController } from './hooks.controller.ts'

@Module({ controllers: [HooksController] })
class Receiver {}

/** The spaces show that the signature is checked against the raw body: parsing and writing it again would lose them. */
const BODY = '{ "id": "evt_1", "type": "order.paid", "data": { "order": { "id": "ord_1" } } }'

it('a receiver in Nest accepts a delivery by its raw body, and answers 400 if the body was changed', async () => {
  const secret = generateSecret()
  vi.stubEnv('WEBHOOK_SECRET', secret)
  const log = vi.spyOn(console, 'log').mockReturnValue()
  const app = await NestFactory.create(Receiver, { rawBody: true, logger: false })
  await app.listen(0, '127.0.0.1')

  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await sign({ id: 'evt_1', timestamp, body: BODY, secret }),
  }
  const post = async (body: string) => fetch(`${await app.getUrl()}/hooks`, { method: 'POST', headers, body })
  expect((await post(BODY)).status).toBe(204)
  expect(log.mock.calls).toEqual([['order.paid', 'ord_1']])
  expect((await post(BODY.replace('ord_1', 'ord_2'))).status).toBe(400)
  await app.close()
})
