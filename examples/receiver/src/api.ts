import { fetch } from 'node-fetch-native'
import * as z from 'zod'
import { ReceiverError } from './receiver-error.ts'

const problem = z.object({
  message: z.string(),
  requestId: z.string(),
  issues: z.array(z.object({ path: z.string() })).default([]),
})
const eventTypes = z.object({ data: z.array(z.object({ type: z.string() })) })
const subscription = z.object({ id: z.string(), created: z.boolean(), secret: z.string() })

/** The three calls of an automation tool: what is there, subscribe, unsubscribe (contract, section 4). */
export interface Api {
  listEventTypes(): Promise<string[]>
  /** Repeated for the same target it gives the same subscription, `created: false`. */
  subscribe(targetUrl: string, eventTypes: readonly string[]): Promise<z.output<typeof subscription>>
  unsubscribe(id: string): Promise<void>
}

/** Each call throws a {@link ReceiverError} when it is refused or not answered. */
export function createApi({ url, key }: { readonly url: string; readonly key: string }): Api {
  const call = async (method: string, path: string, body?: object): Promise<Response> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    }).catch(() => {
      throw new ReceiverError(`${url} does not answer. Start the platform with npm start, or set CALLBOARD_URL.`)
    })
    if (response.ok) return response
    const { data } = problem.safeParse(await response.json().catch(() => undefined))
    const reason = data === undefined ? 'no reason given' : `${data.message} (${data.requestId})`
    const hint = hintOf(response.status, data?.issues)
    throw new ReceiverError(`${method} ${path} was answered with ${response.status}: ${reason}${hint}`)
  }
  return {
    async listEventTypes() {
      const { data } = eventTypes.parse(await (await call('GET', '/v1/event-types')).json())
      return data.map(({ type }) => type)
    },
    async subscribe(targetUrl, types) {
      const body = { targetUrl, eventTypes: types, integration: 'other', externalRef: 'demo-receiver' }
      return subscription.parse(await (await call('POST', '/v1/webhooks/subscriptions', body)).json())
    },
    async unsubscribe(id) {
      await call('DELETE', `/v1/webhooks/subscriptions/${id}`)
    },
  }
}

/** The likely cause, in words of this demo: the API knows nothing of how it was started. */
function hintOf(status: number, issues: readonly { readonly path: string }[] = []): string {
  if (status === 401 || status === 403)
    return '. The key is that of CALLBOARD_KEY or, without one, of .data/demo.json, which each start of the platform renews.'
  if (status === 400 && issues.some(({ path }) => path === 'targetUrl'))
    return '. Most likely the platform was started with ALLOW_LOOPBACK_TARGETS=0: start it without.'
  return ''
}
