import type { DeliveryRecord, SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { firstThen, howToEnable } from '../subscriptions/who-enables.ts'
import { attemptWords, FIX_TARGET } from './attempt-words.ts'

/** The most important fact about a delivery, and what to do next. */
export interface NextStep {
  readonly tone: Tone
  readonly title: string
  readonly body: string | undefined
}

/** Describes the delivery and its next step in one to three sentences. */
export function nextStep(delivery: DeliveryRecord, subscription: SubscriptionRecord, call: Call): NextStep {
  const { state, lastAttempt } = delivery
  const { cause, fix } = lastAttempt ? attemptWords(lastAttempt) : { cause: 'The last attempt failed', fix: FIX_TARGET }
  const active = subscription.state === 'active'
  const again = active ? 'resend it' : `${howToEnable(subscription, call)}. After that, resend it`
  switch (state) {
    case 'delivered':
      return {
        tone: 'success',
        title: lastAttempt === undefined ? 'The event was delivered.' : `${cause}.`,
        body: undefined,
      }
    case 'pending':
      return { tone: 'neutral', title: 'The delivery is queued.', body: QUEUED }
    case 'retrying':
      return { tone: 'warning', title: `${cause}.`, body: fix === undefined ? RETRIES : `${fix} ${RETRIES}` }
    case 'exhausted':
      return { tone: 'danger', title: `${cause}.`, body: firstThen(fix, again) }
    case 'skipped':
      return {
        tone: 'neutral',
        title: 'The delivery was skipped manually.',
        body: active ? 'Resend it if you still want it.' : firstThen(undefined, again),
      }
    case 'expired':
      return {
        tone: 'neutral',
        title: 'The event expired before it was delivered.',
        body: 'Its retention period has ended, so it cannot be resent.',
      }
    case 'disabled': {
      const gone = lastAttempt?.outcome === 'gone'
      return {
        tone: 'neutral',
        title: gone
          ? `${cause}, which disables the subscription.`
          : 'The delivery ended when the subscription was disabled.',
        body: active
          ? 'The subscription is enabled again. Resend the delivery if you still want it.'
          : firstThen(gone ? fix : undefined, again),
      }
    }
  }
}

const QUEUED = 'It will be attempted in turn. If the subscription is paused, the delivery waits until the pause ends.'
const RETRIES = 'It will be retried automatically. You can also retry it now.'
