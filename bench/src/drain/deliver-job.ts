import { signSync } from '@callboard/signature'
import { Agent, fetch } from 'undici'
import type { Attempt } from './attempt-log.ts'
import type { RivalJob } from './rival.ts'

/**
 * The job as a platform would write it: sign, `fetch`, record the attempt, and throw unless the response is a success.
 * It uses undici's `fetch`, which is Node's but accepts an agent. The agent trusts `ca`, resolves every host to this
 * machine and keeps connections open.
 */
export function createDeliver(
  ca: string,
  record: (attempt: Attempt) => Promise<void>,
): (job: RivalJob) => Promise<void> {
  const dispatcher = new Agent({
    connect: {
      ca,
      maxCachedSessions: 1000,
      lookup: (_host, { all }, found) =>
        all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4),
    },
    keepAliveTimeout: 60_000,
  })
  return async ({ id, url, secret, body }) => {
    const timestamp = Math.floor(Date.now() / 1000)
    const since = performance.now()
    const response = await fetch(url, {
      dispatcher,
      method: 'POST',
      body,
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signSync({ id, timestamp, body, secret }),
      },
    })
    const answer = await response.text()
    const { status } = response
    await record({ id, url, status, durationMs: Math.round(performance.now() - since), answer })
    if (!response.ok) throw new Error(`answered ${status}`)
  }
}
