import type { SubscriptionRecord } from '@callboard/core'
import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import type { Transport, TransportOutcome } from '@callboard/delivery'
import { type CallboardEvent, verifyRequest, WebhookRefusedError } from '@callboard/signature/request'
import { keyOf, type TargetRequest } from './test-targets.ts'

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
        const verified = await verify(callboard, request)
        const outcome = await answer(request)
        onSent({ ...request, ...verified, at, outcome })
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
async function verify(
  callboard: AnyCallboard,
  { url, headers, body }: TargetRequest,
): Promise<Pick<SentRequest, 'subscription' | 'event'>> {
  const { secretBox, now } = engineOf(callboard)
  const { account, livemode }: Pick<CallboardEvent, 'account' | 'livemode'> = JSON.parse(body)
  const owner = { accountId: account.id, mode: livemode ? 'live' : 'test' } as const
  for (const subscription of await callboard.subscriptions.list(owner)) {
    if (keyOf(subscription.targetUrl) !== keyOf(url)) continue
    const secret = await Promise.all(subscription.secrets.map(({ sealed }) => secretBox.open(subscription.id, sealed)))
    try {
      return { subscription, event: await verifyRequest({ headers, body }, { secret, now: new Date(now()) }) }
    } catch (error) {
      const isOthers = error instanceof WebhookRefusedError && error.code === 'SIGNATURE_MISMATCH'
      if (!isOthers) throw error
    }
  }
  throw new Error(`The request to ${url} is not signed with the secret of a subscription of ${account.id}.`)
}
