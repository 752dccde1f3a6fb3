import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOrMakeDemoCertificate } from '@callboard-examples/ticketing/demo'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ReceiverError } from './receiver-error.ts'

const url = 'http://callboard.example'
const api = setupServer()
let folder: string
let certificate: { key: string; cert: string }
let runReceiver: typeof import('./run-receiver.ts').runReceiver

beforeAll(async () => {
  api.listen({ onUnhandledFrame: 'error' })
  // Imported after `api.listen`, because node-fetch-native keeps the `fetch` that it finds when it loads. It must find
  // the mocked one.
  ;({ runReceiver } = await import('./run-receiver.ts'))
  folder = await mkdtemp(join(tmpdir(), 'callboard-receiver-'))
  certificate = await readOrMakeDemoCertificate(folder)
})
afterEach(() => api.resetHandlers())
afterAll(async () => {
  api.close()
  await rm(folder, { recursive: true, force: true })
})

const types = http.get(`${url}/v1/event-types`, () =>
  HttpResponse.json({ apiVersion: '2026-10-01', data: [{ type: 'order.paid' }, { type: 'event.published' }] }),
)
const me = http.get(`${url}/v1/me`, () => HttpResponse.json({ apiKeyId: 'key_1' }))
const refusal = (statusCode: number, message: string, issues: object[] = []) =>
  HttpResponse.json({ statusCode, message, requestId: 'req_1', errorCode: 'REFUSED', issues }, { status: statusCode })
const run = (lines: string[] = []) =>
  runReceiver({ access: { url, key: 'cb_live_key' }, certificate, port: 0, print: (line) => lines.push(line) })

describe('the demo receiver', () => {
  it('subscribes to every event type in two format versions, and unsubscribes when it stops', async () => {
    const requests: { method: string; path: string; key: string | null; body: unknown }[] = []
    const note = async (request: Request): Promise<void> => {
      const text = await request.clone().text()
      requests.push({
        method: request.method,
        path: new URL(request.url).pathname,
        key: request.headers.get('authorization'),
        body: text === '' ? undefined : JSON.parse(text),
      })
    }
    api.use(
      types,
      me,
      http.post(`${url}/v1/webhooks/subscriptions`, async ({ request }) => {
        await note(request)
        const apiVersion = request.headers.get('callboard-version') ?? '2026-10-01'
        return HttpResponse.json(
          { id: `sub_${apiVersion}`, created: true, apiVersion, eventTypes: ['order.paid'], secret: 'whsec_x' },
          { status: 201 },
        )
      }),
      http.delete(`${url}/v1/webhooks/subscriptions/:id`, async ({ request }) => {
        await note(request)
        return new HttpResponse(null, { status: 204 })
      }),
    )
    const lines: string[] = []
    const receiver = await run(lines)
    await receiver.close()
    const subscription = (targetUrl: string, externalRef: string) => ({
      method: 'POST',
      path: '/v1/webhooks/subscriptions',
      key: 'Bearer cb_live_key',
      body: { targetUrl, eventTypes: ['order.paid', 'event.published'], integration: 'other', externalRef },
    })
    const removal = (id: string) => {
      const path = `/v1/webhooks/subscriptions/${id}`
      return { method: 'DELETE', path, key: 'Bearer cb_live_key', body: undefined }
    }
    expect(requests).toEqual([
      subscription(receiver.targetUrl, 'demo-receiver'),
      subscription(`${receiver.targetUrl}/2026-04-01`, 'demo-receiver-2026-04-01'),
      removal('sub_2026-10-01'),
      removal('sub_2026-04-01'),
    ])
    expect(lines.slice(0, 2)).toEqual([
      'Subscribed: sub_2026-10-01, in version 2026-10-01, to order.paid.',
      'Subscribed: sub_2026-04-01, in version 2026-04-01, to order.paid.',
    ])
    expect(lines.at(-1)).toBe('Unsubscribed sub_2026-04-01.')
    expect(lines.join()).not.toContain('whsec_')
  })

  it('subscribes once if the platform has no previous version, and says that an earlier run subscribed', async () => {
    const found = {
      id: 'sub_1',
      created: false,
      apiVersion: '2026-10-01',
      eventTypes: ['order.paid'],
      secret: 'whsec_x',
    }
    api.use(
      types,
      http.get(`${url}/v1/me`, () => refusal(400, 'Unknown Callboard-Version.')),
      http.post(`${url}/v1/webhooks/subscriptions`, () => HttpResponse.json(found)),
      http.delete(`${url}/v1/webhooks/subscriptions/sub_1`, () => new HttpResponse(null, { status: 204 })),
    )
    const lines: string[] = []
    await (await run(lines)).close()
    expect(lines[0]).toMatch(/^Found the subscription of an earlier run: sub_1/)
    expect(lines).toHaveLength(3)
  })

  it('reports why the API refused to subscribe it, and stops', async () => {
    const message = 'The account has reached its limit of 500 subscriptions. Remove one first.'
    api.use(
      types,
      http.post(`${url}/v1/webhooks/subscriptions`, () => refusal(409, message)),
    )
    await expect(run()).rejects.toThrow(new ReceiverError(`${message} (req_1)`))
  })

  it.each([401, 403])('reports where the key came from if the API refuses the key with %i', async (status) => {
    api.use(http.get(`${url}/v1/event-types`, () => refusal(status, 'Not with this key.')))
    const running = run()
    await expect(running).rejects.toThrow(/Not with this key\. \(req_1\).+CALLBOARD_KEY.+\.data\/demo\.json/)
    await expect(running).rejects.not.toThrow('cb_live_key')
  })

  it('names the setting that makes the platform refuse a target on this machine', async () => {
    const refuse = (path: string) =>
      http.post(`${url}/v1/webhooks/subscriptions`, () => refusal(400, 'No.', [{ path, message: 'No.' }]))
    api.use(types, refuse('targetUrl'))
    await expect(run()).rejects.toThrow('ALLOW_LOOPBACK_TARGETS=0')
    api.use(refuse('eventTypes'))
    await expect(run()).rejects.toThrow(/^No\. \(req_1\)$/)
  })

  it('reports a platform that does not answer', async () => {
    api.use(http.get(`${url}/v1/event-types`, () => HttpResponse.error()))
    await expect(run()).rejects.toThrow(`${url} does not answer.`)
  })
})
