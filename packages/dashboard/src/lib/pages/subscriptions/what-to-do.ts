import type { SubscriptionWithHealth } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import type { AttemptWords } from '../../texts/english/attempts.ts'
import { attemptWords, goneWords } from '../deliveries/attempt-words.ts'
import { integrationName } from './manager.ts'
import { ageInWords } from './subscription-state.ts'
import { firstThen, howToEnable, whoEnables } from './who-enables.ts'

/** The problem with a subscription, and what to do about it. */
export interface WhatToDo {
  readonly tone: Tone
  readonly title: string
  readonly body: string
}

/** What to do about a subscription that works again but still has exhausted deliveries. */
export function resendExhausted({ texts }: Pick<Call, 'texts'>): WhatToDo {
  return { tone: 'warning', ...texts.advice.exhausted }
}

/** Says what to do, in a few plain sentences; undefined if nothing is wrong. */
export function whatToDo(subscription: SubscriptionWithHealth, call: Call): WhatToDo | undefined {
  return subscription.state === 'disabled' ? disabled(subscription, call) : failing(subscription, call)
}

function failing({ health }: SubscriptionWithHealth, call: Call): WhatToDo | undefined {
  if (health.failing === undefined) return undefined
  const { advice } = call.texts
  const { cause, fix } = lastFailure(health, call)
  return {
    tone: 'danger',
    title: advice.failing(cause, ageInWords(health.failing.since, call)),
    body: firstThen(fix, advice.retryNow),
  }
}

function disabled(subscription: SubscriptionWithHealth, call: Call): WhatToDo {
  const { disabledReason: reason = 'platform', health } = subscription
  const { advice } = call.texts
  const enable = howToEnable(subscription, call)
  const warning = (title: string, body: string): WhatToDo => ({
    tone: 'warning',
    title,
    body: `${body} ${advice.missed}`,
  })
  switch (reason) {
    case 'gone': {
      const { cause, fix } = goneWords(call)
      return warning(advice.gone(cause), firstThen(fix, enable))
    }
    case 'failing':
      return warning(advice.failedForDays, firstThen(lastFailure(health, call).fix, enable))
    case 'key': {
      const giveKey =
        subscription.integration === 'other'
          ? advice.giveKeyToProgram
          : advice.giveKeyTo(integrationName(subscription, call))
      return warning(advice.keyEnded, firstThen(giveKey, enable))
    }
    case 'account': {
      const body = whoEnables(subscription) === 'account' ? advice.enableAgain : enable.alone
      return { tone: 'neutral', title: advice.disabledByAccount, body: `${body} ${advice.missed}` }
    }
    case 'platform':
      return warning(advice.disabledByPlatform.title, advice.disabledByPlatform.body)
  }
}

/**
 * Why the last attempt failed, and how to fix it. If there was no attempt, or if the last one succeeded, both texts are
 * general.
 */
function lastFailure(
  { lastAttempt }: SubscriptionWithHealth['health'],
  call: Call,
): Pick<AttemptWords, 'cause' | 'fix'> {
  const { lastAttemptsFailed: cause, fixTarget: fix } = call.texts.advice
  return lastAttempt === undefined || lastAttempt.outcome === 'delivered'
    ? { cause, fix }
    : attemptWords(call, lastAttempt)
}
