import type { SubscriptionRecord } from '@callboard/core'
import { ENABLES_FROM } from '@callboard/core/engine'
import type { Call } from '../../call.ts'
import { integrationName } from './manager.ts'

/**
 * Decides who may enable a disabled subscription: the account, the integration that created it, or only the platform.
 */
export function whoEnables({ source, disabledReason }: SubscriptionRecord): keyof typeof ENABLES_FROM {
  const who = source === 'dashboard' ? 'account' : 'integration'
  return disabledReason !== undefined && ENABLES_FROM[who].includes(disabledReason) ? who : 'platform'
}

/** One step of advice. It has two texts: `alone` if it is the only step, and `after` if it follows other sentences. */
export interface Step {
  readonly alone: string
  readonly after: string
}

/** How to enable a subscription. */
export function howToEnable(subscription: SubscriptionRecord, call: Call): Step {
  const { advice } = call.texts
  switch (whoEnables(subscription)) {
    case 'account':
      return advice.enable
    case 'integration':
      return subscription.integration === 'other'
        ? advice.createAgain
        : advice.turnOffAndOn(integrationName(subscription, call))
    case 'platform':
      return advice.contactSupport
  }
}

/**
 * Whether the missed deliveries can be resent once the subscription is enabled. An integration that is turned off and
 * on creates a new subscription, which has none of them.
 */
export function keepsMissed(subscription: SubscriptionRecord): boolean {
  return whoEnables(subscription) !== 'integration'
}

/** Puts a step after the complete sentences in `first`. If `first` is undefined, the step is the only advice. */
export function firstThen(first: string | undefined, step: Step): string {
  return first === undefined ? step.alone : `${first} ${step.after}`
}
