import { createHttpsTransport } from '@callboard/delivery'
import { Agent, fetch, request } from 'undici'
import type { Sink } from '../lib/sink.ts'
import type { Send } from './load.ts'
import { WEBHOOK } from './webhook.ts'

export interface Contender {
  readonly send: Send
  stop(): Promise<void>
}

const refuse = (why: unknown): never => {
  throw new Error(`a request failed: ${why}`)
}

export function ours(sink: Sink): Contender {
  const transport = createHttpsTransport({
    addressPolicy: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
    extraCaCertificates: [sink.ca],
    resolve: async () => ['127.0.0.1'],
  })
  return {
    async send(target) {
      const outcome = await transport.send({ url: sink.url(target), ...WEBHOOK })
      if (outcome.kind === 'failed') refuse(outcome.reason)
      else if (outcome.status !== 200) refuse(outcome.status)
    },
    stop: async () => transport.close(),
  }
}

/**
 * By default, undici keeps every connection that it opens and sets no limits. Names are resolved in the same way as for
 * our transport.
 */
function undiciAgent(sink: Sink): Agent {
  return new Agent({
    keepAliveTimeout: 60_000,
    connect: {
      ca: sink.ca,
      lookup: (_name, { all }, answer) =>
        all ? answer(null, [{ address: '127.0.0.1', family: 4 }]) : answer(null, '127.0.0.1', 4),
    },
  })
}

export function undici(sink: Sink): Contender {
  const dispatcher = undiciAgent(sink)
  return {
    async send(target) {
      const { statusCode, body } = await request(sink.url(target), {
        dispatcher,
        method: 'POST',
        ...WEBHOOK,
      })
      await body.text()
      if (statusCode !== 200) refuse(statusCode)
    },
    stop: () => dispatcher.close(),
  }
}

/**
 * undici's `fetch`, which is the same as Node's. The global `fetch` accepts no agent, so it could not resolve the names
 * or trust the sink.
 */
export function fetching(sink: Sink): Contender {
  const dispatcher = undiciAgent(sink)
  return {
    async send(target) {
      const response = await fetch(sink.url(target), { dispatcher, method: 'POST', ...WEBHOOK })
      await response.text()
      if (response.status !== 200) refuse(response.status)
    },
    stop: () => dispatcher.close(),
  }
}
