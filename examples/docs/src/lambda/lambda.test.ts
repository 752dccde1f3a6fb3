import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
  const DATABASE_URL = await postgres.createDatabase()
  const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
  Object.assign(process.env, { DATABASE_URL, SECRET_KEY, NODE_ENV: 'development' })
  const { deploy } = await import('../operating/deploy.ts')
  await deploy(DATABASE_URL)
})
afterAll(async () => {
  const { pool } = await import('../start/callboard.ts')
  await pool.end()
  await postgres.stop()
})

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: Buffer | undefined
}

/** An event of an HTTP API in format 2.0, as AWS documents it. A body that is no text arrives as base64. */
function gatewayEvent({ method, path, headers, body }: Asked, isBase64Encoded: boolean): APIGatewayProxyEventV2 {
  const [rawPath = '', rawQueryString = ''] = path.split('?')
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers,
    requestContext: {
      accountId: '123456789012',
      apiId: 'api-id',
      domainName: 'id.execute-api.us-east-1.amazonaws.com',
      domainPrefix: 'id',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'agent' },
      requestId: 'id',
      routeKey: '$default',
      stage: '$default',
      time: '12/Mar/2026:19:03:58 +0000',
      timeEpoch: 1773342238000,
    },
    ...(body && { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    isBase64Encoded,
  }
}

it.each([false, true])('the functions serve, deliver and receive, with bodies in base64: %s', async (isBase64) => {
  const { callboard } = await import('../start/callboard.ts')
  const [api, deliver, receive] = await Promise.all([
    import('./api.ts'),
    import('./deliver.ts'),
    import('./receive.ts'),
  ])
  const accountId = 'acc_1'
  await callboard.accounts.ensure([{ id: accountId, name: 'Harbour Hall' }])
  const scopes = ['webhooks.read', 'webhooks.write', 'people.read'] as const
  const { token } = await callboard.keys.issue({ accountId, name: 'tests', scopes })
  const log = vi.spyOn(console, 'log').mockReturnValue()

  const answers: APIGatewayProxyStructuredResultV2[] = []
  const receiver = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request
    const headers = request.headers as Record<string, string>
    const asked = { method, path, headers, body: await buffer(request) }
    const answer = await receive.handler(gatewayEvent(asked, isBase64))
    const forged = { ...asked, body: Buffer.from(String(asked.body).replace('Zoë', 'Zoe')) }
    answers.push(answer, await receive.handler(gatewayEvent(forged, isBase64)))
    response.writeHead(answer.statusCode ?? 500).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')

  const targetUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ask = (method: string, path: string, input?: object) => {
    const body = input && Buffer.from(JSON.stringify(input))
    // As Lambda does, through JSON. The types of Hono and of AWS differ.
    return api.handler(JSON.parse(JSON.stringify(gatewayEvent({ method, path, headers, body }, isBase64))))
  }
  const created = await ask('POST', '/v1/webhooks/subscriptions', {
    targetUrl,
    eventTypes: ['order.paid'],
    integration: 'other',
  })
  expect(created).toMatchObject({ statusCode: 201, isBase64Encoded: false })
  const { id, secret } = JSON.parse(created.body)
  vi.stubEnv('WEBHOOK_SECRET', secret)
  const buyer = { entity_id: 'per_1', email: 'ada@example.com' }
  const subject = { type: 'order', id: 'Zoë' }
  await callboard.publish({ accountId, type: 'order.paid', subject, data: { order: { id: 'Zoë', buyer } } })
  const report = await deliver.handler({}, { getRemainingTimeInMillis: () => 60_000 })
  expect(report).toMatchObject({ end: 'idle', delivered: 1 })
  expect(answers).toMatchObject([{ statusCode: 204 }, { statusCode: 400, body: 'SIGNATURE_MISMATCH' }])
  expect(log).toHaveBeenCalledWith('order.paid', 'Zoë')

  const listed = await ask('GET', '/v1/events?type=order.paid&limit=1')
  expect(JSON.parse(listed.body)).toMatchObject({ data: [{ type: 'order.paid', data: { order: { buyer } } }] })
  expect(await ask('DELETE', `/v1/webhooks/subscriptions/${id}`)).toMatchObject({ statusCode: 204, body: '' })
  receiver.close()
})
