import type { SubscriptionWithHealth } from '@callboard/core'
import { troubleOf } from '@callboard/core/engine'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { duration } from '../../components/number.ts'
import type { AttemptWords } from '../../texts/english/attempts.ts'
import { attemptWords, goneWords } from '../deliveries/attempt-words.ts'
import { integrationName } from './manager.ts'
import { ageInWords, heldBackInWords } from './subscription-state.ts'
import { lostSecret } from './suspected-secret.ts'
import { firstThen, howToEnable, keepsMissed, whoEnables } from './who-enables.ts'

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

/** What is known about the last attempt beyond the health of its subscription. */
export interface LastKnown {
  readonly response?: string | undefined
  /** When the secret was rotated, in a sentence, if that may be the cause. */
  readonly rotated?: string | undefined
}

/** Says what to do, in a few plain sentences; undefined if nothing is wrong. */
export function whatToDo(
  subscription: SubscriptionWithHealth,
  call: Call,
  known: LastKnown = {},
): WhatToDo | undefined {
  if (subscription.state === 'disabled') return disabled(subscription, call, known)
  return failing(subscription, call, known) ?? lateBecause(subscription, call)
}

/** Why deliveries wait for their turn, if workers limit their concurrent requests to the target's host. */
export function heldBackBecause(subscription: SubscriptionWithHealth, call: Call): WhatToDo | undefined {
  const because = heldBackInWords(subscription, call)
  if (because === undefined) return undefined
  return { tone: 'neutral', title: `${because}.`, body: call.texts.subscriptions.heldBackBody }
}

/** Why deliveries wait although none fails. Tells a slow target apart from workers that do not keep up. */
export function lateBecause(subscription: SubscriptionWithHealth, call: Call): WhatToDo | undefined {
  const { trouble, since } = troubleOf(subscription, call.engine.now()) ?? {}
  if (since === undefined || (trouble !== 'behind' && trouble !== 'slow')) return undefined
  const { behind, slow } = call.texts.advice
  const age = ageInWords(since, call)
  const last = subscription.health.lastAttempt
  return trouble === 'behind'
    ? { tone: 'warning', title: behind.title(age), body: behind.body }
    : { tone: 'warning', title: slow.title(age, last && duration(call, last.durationMs)), body: slow.body }
}

function failing(subscription: SubscriptionWithHealth, call: Call, known: LastKnown): WhatToDo | undefined {
  const { health } = subscription
  if (health.failing === undefined) return undefined
  const { advice } = call.texts
  const { cause, fix } = lastFailure(health, call, known)
  return {
    tone: 'danger',
    title: advice.failing(cause, ageInWords(health.failing.since, call)),
    body: [
      firstThen(fix, advice.retryNow),
      ...lostSecret(subscription, health.lastAttempt && { ...health.lastAttempt, response: known.response }, call),
    ].join(' '),
  }
}

function disabled(subscription: SubscriptionWithHealth, call: Call, known: LastKnown): WhatToDo {
  const { disabledReason: reason = 'platform', health } = subscription
  const { advice } = call.texts
  const enable = howToEnable(subscription, call)
  const complete = (body: string): string => (keepsMissed(subscription) ? `${body} ${advice.missed}` : body)
  const warning = (title: string, body: string): WhatToDo => ({ tone: 'warning', title, body: complete(body) })
  switch (reason) {
    case 'gone': {
      const { cause, fix } = goneWords(call)
      return warning(advice.gone(cause), firstThen(fix, enable))
    }
    case 'failing':
      return warning(advice.failedForDays, firstThen(lastFailure(health, call, known).fix, enable))
    case 'key': {
      const giveKey =
        subscription.integration === 'other'
          ? advice.giveKeyToProgram
          : advice.giveKeyTo(integrationName(subscription, call))
      return warning(advice.keyEnded, firstThen(giveKey, enable))
    }
    case 'account': {
      const body = whoEnables(subscription) === 'account' ? advice.enableAgain : enable.alone
      return { tone: 'neutral', title: advice.disabledByAccount, body: complete(body) }
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
  { response, rotated }: LastKnown,
): Pick<AttemptWords, 'cause' | 'fix'> {
  const { lastAttemptsFailed, fixTarget } = call.texts.advice
  if (lastAttempt === undefined || lastAttempt.outcome === 'delivered')
    return { cause: lastAttemptsFailed, fix: fixTarget }
  const { cause, fix } = attemptWords(call, { ...lastAttempt, response })
  return { cause, fix: rotated === undefined ? fix : `${rotated} ${fix}` }
}
