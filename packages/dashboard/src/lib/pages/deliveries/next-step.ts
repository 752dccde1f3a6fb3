import type { DeliveryRecord, SubscriptionWithHealth } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { dateTime } from '../../components/time.ts'
import { lostSecret } from '../subscriptions/suspected-secret.ts'
import { heldBackBecause, type LastKnown, lateBecause } from '../subscriptions/what-to-do.ts'
import { firstThen, howToEnable, keepsMissed } from '../subscriptions/who-enables.ts'
import { attemptWords } from './attempt-words.ts'
import { canResend } from './resend-button.ts'

/** The most important fact about a delivery, and what to do next. */
export interface NextStep {
  readonly tone: Tone
  readonly title: string
  readonly body: string | undefined
}

/** Describes the delivery and its next step in one to three sentences. */
export function nextStep(
  delivery: DeliveryRecord,
  subscription: SubscriptionWithHealth,
  call: Call,
  { response, rotated }: LastKnown,
): NextStep {
  const { advice } = call.texts
  const { state, lastAttempt, nextAttemptAt } = delivery
  const { cause, fix: how } = lastAttempt
    ? attemptWords(call, { ...lastAttempt, response })
    : { cause: advice.lastAttemptFailed, fix: advice.fixTarget }
  const fix = rotated === undefined ? how : `${rotated} ${how}`
  const lost = lostSecret(subscription, lastAttempt && { ...lastAttempt, response }, call)
  const active = subscription.state === 'active'
  const waits = whyItWaits(delivery, subscription, call)
  const again = (first?: string): string => {
    if (active) return firstThen(first, advice.resendIt)
    const enable = firstThen(first, howToEnable(subscription, call))
    return keepsMissed(subscription) ? `${enable} ${advice.afterThatResendIt}` : enable
  }
  switch (state) {
    case 'delivered':
      return { tone: 'success', title: lastAttempt === undefined ? advice.delivered : `${cause}.`, body: undefined }
    case 'pending':
      return {
        tone: 'neutral',
        title: advice.queued,
        body: [lastAttempt === undefined ? advice.queuedBody : advice.resentBody, waits].filter(Boolean).join(' '),
      }
    case 'retrying':
      return {
        tone: 'warning',
        title: `${cause}.`,
        body: [
          fix,
          nextAttemptAt === undefined ? advice.waitsForSubject : advice.retries,
          canResend(delivery, subscription, call) && advice.retriesNow,
          waits,
          ...lost,
        ]
          .filter(Boolean)
          .join(' '),
      }
    case 'exhausted':
      return { tone: 'danger', title: `${cause}.`, body: [again(fix), ...lost].join(' ') }
    case 'skipped':
      return { tone: 'neutral', title: advice.skipped, body: active ? advice.resendIfWanted : again() }
    case 'expired':
      return { tone: 'neutral', title: advice.expired, body: advice.cannotResend }
    case 'disabled': {
      const gone = lastAttempt?.outcome === 'gone'
      return {
        tone: 'neutral',
        title: gone ? advice.gone(cause) : advice.endedDisabled,
        body: active ? advice.enabledAgain : again(gone ? fix : undefined),
      }
    }
  }
}

/** Why the next attempt is not made as soon as it is due; undefined if nothing prevents it. */
function whyItWaits(
  { nextAttemptAt }: DeliveryRecord,
  subscription: SubscriptionWithHealth,
  call: Call,
): string | undefined {
  const { pausedUntil } = subscription.health
  if (pausedUntil !== undefined) return call.texts.advice.pausedUntil(dateTime(call, pausedUntil))
  if (nextAttemptAt !== undefined && nextAttemptAt.getTime() > call.engine.now()) return undefined
  return (lateBecause(subscription, call) ?? heldBackBecause(subscription, call))?.title
}
