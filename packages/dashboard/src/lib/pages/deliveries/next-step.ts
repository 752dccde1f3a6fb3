import type { DeliveryRecord, SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { firstThen, howToEnable } from '../subscriptions/who-enables.ts'
import { attemptWords, FIX_ENDPOINT } from './attempt-words.ts'

/** What a delivery's reader should know first, and do next. */
export interface NextStep {
  readonly tone: Tone
  readonly title: string
  readonly body: string | undefined
}

/** In one to three sentences. */
export function nextStep(delivery: DeliveryRecord, subscription: SubscriptionRecord, call: Call): NextStep {
  const { state, lastAttempt } = delivery
  const { cause, mend } = lastAttempt ? attemptWords(lastAttempt) : { cause: 'It did not arrive', mend: FIX_ENDPOINT }
  const active = subscription.state === 'active'
  const again = active ? 'send it again' : `${howToEnable(subscription, call)}. After that, send it again`
  switch (state) {
    case 'delivered':
      return { tone: 'success', title: lastAttempt === undefined ? 'It was delivered.' : `${cause}.`, body: undefined }
    case 'pending':
      return { tone: 'neutral', title: 'It has not been tried yet.', body: WAITS }
    case 'retrying':
      return { tone: 'warning', title: `${cause}.`, body: mend === undefined ? RETRIES : `${mend} ${RETRIES}` }
    case 'exhausted':
      return { tone: 'danger', title: `${cause}.`, body: firstThen(mend, again) }
    case 'skipped':
      return {
        tone: 'neutral',
        title: 'It was skipped by hand.',
        body: active ? 'Send it again if you want it after all.' : firstThen(undefined, again),
      }
    case 'expired':
      return {
        tone: 'neutral',
        title: 'The event was removed before it was delivered.',
        body: 'Its retention is over, so it cannot be sent again.',
      }
    case 'disabled': {
      const gone = lastAttempt?.outcome === 'gone'
      return {
        tone: 'neutral',
        title: gone ? `${cause}, which disables a subscription.` : 'It was stopped when the subscription was disabled.',
        body: active
          ? 'The subscription is enabled again: send it again if you want it.'
          : firstThen(gone ? mend : undefined, again),
      }
    }
  }
}

const WAITS = 'It goes out in its turn: at once, or as soon as its subscription takes deliveries again.'
const RETRIES = 'It is tried again by itself; you can also send it now.'
