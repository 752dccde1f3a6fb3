import type { SubscriptionRecord } from '@callboard/core'
import { ENABLES_FROM } from '@callboard/core/engine'
import type { Call } from '../../call.ts'
import { integrationName } from './manager.ts'

/** The texts for a subscription that the platform disabled. */
export const DISABLED_BY_PLATFORM = {
  title: 'The platform disabled this subscription.',
  body: 'Contact support to have it enabled again.',
} as const

/**
 * Decides who may enable a disabled subscription: the account, the integration that created it, or only the platform.
 */
export function whoEnables({ source, disabledReason }: SubscriptionRecord): keyof typeof ENABLES_FROM {
  const who = source === 'dashboard' ? 'account' : 'integration'
  return disabledReason !== undefined && ENABLES_FROM[who].includes(disabledReason) ? who : 'platform'
}

/** How to enable a subscription, as an imperative without a full stop: “enable the subscription”. */
export function howToEnable(subscription: SubscriptionRecord, call: Call): string {
  switch (whoEnables(subscription)) {
    case 'account':
      return 'enable the subscription'
    case 'integration':
      return subscription.integration === 'other'
        ? 'create the subscription again from the program that created it'
        : `turn the automation off and on again in ${integrationName(subscription, call)}, which creates the subscription again`
    case 'platform':
      return 'contact support to have the subscription enabled'
  }
}

/**
 * Joins the advice on two steps into one text. `first` consists of complete sentences, or is undefined if there is no
 * first step. `then` is an imperative without a full stop.
 */
export function firstThen(first: string | undefined, then: string): string {
  return first === undefined ? `${then.charAt(0).toUpperCase()}${then.slice(1)}.` : `${first} Then ${then}.`
}
