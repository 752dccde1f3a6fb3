import type { DeliveryRecord, SubscriptionRecord } from '@callboard/core'
import type { Tone } from '../../components/badge.ts'
import { attemptWords } from './attempt-words.ts'

/** What a delivery's reader should know first, and do next. */
export interface NextStep {
  readonly tone: Tone
  readonly title: string
  readonly body: string | undefined
}

/** In one or two sentences. */
export function nextStep(delivery: DeliveryRecord, { state: subscription }: SubscriptionRecord): NextStep {
  const { state, lastAttempt } = delivery
  const { cause, mend } = lastAttempt ? attemptWords(lastAttempt) : { cause: 'It did not arrive', mend: undefined }
  const again = subscription === 'active' ? 'Then send it again.' : 'Then enable the subscription, and send it again.'
  switch (state) {
    case 'delivered':
      return { tone: 'success', title: lastAttempt === undefined ? 'It was delivered.' : `${cause}.`, body: undefined }
    case 'pending':
      return { tone: 'neutral', title: 'It has not been tried yet.', body: WAITS }
    case 'retrying':
      return {
        tone: 'warning',
        title: `${cause}.`,
        body: sentences(mend, 'It is tried again by itself; once your endpoint is mended, you can send it at once.'),
      }
    case 'exhausted':
      return { tone: 'danger', title: `${cause}.`, body: sentences(mend ?? 'Mend your endpoint.', again) }
    case 'skipped':
      return { tone: 'neutral', title: 'It was skipped by hand.', body: 'Send it again if you want it after all.' }
    case 'expired':
      return {
        tone: 'neutral',
        title: 'The event was removed before it was delivered.',
        body: 'Its retention is over, so it cannot be sent again.',
      }
    case 'disabled':
      return {
        tone: 'neutral',
        title:
          lastAttempt?.outcome === 'gone'
            ? `${cause}, which disables a subscription.`
            : 'It was stopped when the subscription was disabled.',
        body:
          subscription === 'active'
            ? 'The subscription is enabled again: send it again if you want it.'
            : 'Enable the subscription once its endpoint is there, then send it again.',
      }
  }
}

const WAITS = 'It goes out in its turn: at once, or as soon as its subscription takes deliveries again.'

function sentences(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(' ')
}
