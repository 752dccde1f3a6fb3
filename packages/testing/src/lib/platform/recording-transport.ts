import type { SubscriptionRecord } from '@callboard/core'
import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import type { Transport, TransportOutcome } from '@callboard/delivery'
import type { CallboardEvent } from '@callboard/signature/request'
import { keyOf, type TargetRequest } from './test-targets.ts'
import { verifySent } from './verify-sent.ts'

/** A delivery's request, verified as its receiver would verify it, and the answer it got. */
export interface SentRequest extends TargetRequest {
  readonly subscription: SubscriptionRecord
  readonly event: CallboardEvent
  readonly at: Date
  readonly outcome: TransportOutcome
}

export interface RecordingTransportOptions {
  readonly answer: (request: TargetRequest) => Promise<TransportOutcome>
  readonly onSent: (sent: SentRequest) => void
  /** Called if a request could not be verified or answered. The attempt then does not count. */
  readonly onError: (error: unknown) => void
}

/** Creates a transport that verifies each request instead of sending it, and answers it. */
export function createRecordingTransport(
  callboard: AnyCallboard,
  { answer, onSent, onError }: RecordingTransportOptions,
): Transport {
  return {
    async send({ url, headers, body: bytes }) {
      try {
        const at = new Date(engineOf(callboard).now())
        const body = new TextDecoder().decode(bytes)
        const request = { url, headers, body }
        const event: CallboardEvent = JSON.parse(body)
        const subscription = await receiverOf(callboard, request, event)
        const outcome = await answer(request)
        onSent({ ...request, event, subscription, at, outcome })
        return outcome
      } catch (error) {
        onError(error)
        return { kind: 'failed', reason: 'aborted', durationMs: 0 }
      }
    },
    close() {},
  }
}

/**
 * Finds the subscription that the request was sent for: of those with the request's target, the one whose secret
 * verifies it.
 */
async function receiverOf(
  callboard: AnyCallboard,
  request: TargetRequest,
  { account, livemode }: CallboardEvent,
): Promise<SubscriptionRecord> {
  const { secretBox, now } = engineOf(callboard)
  const owner = { accountId: account.id, mode: livemode ? 'live' : 'test' } as const
  for (const subscription of await callboard.subscriptions.list(owner)) {
    const { id, targetUrl, secrets, signatures } = subscription
    if (keyOf(targetUrl) !== keyOf(request.url)) continue
    const secret = await Promise.all(secrets.map(({ sealed }) => secretBox.open(id, sealed)))
    if (await verifySent(request, { signatures, secret, now: new Date(now()) })) return subscription
  }
  throw new Error(`The request to ${request.url} is not signed with the secret of a subscription of ${account.id}.`)
}
