import type { SubscriptionRecord } from '@callboard/core'
import { ENABLES_FROM } from '@callboard/core/engine'
import type { Call } from '../../call.ts'
import { integrationName } from './manager.ts'

/** The text for a subscription that the platform disabled. */
export const DISABLED_BY_PLATFORM = {
  title: 'The platform disabled this subscription.',
  body: 'Contact it to have it enabled again.',
} as const

/** Who can enable a disabled subscription: the account's people on its page, the integration that created it, or the platform alone. */
export function whoEnables({ source, disabledReason }: SubscriptionRecord): keyof typeof ENABLES_FROM {
  const who = source === 'dashboard' ? 'account' : 'integration'
  return disabledReason !== undefined && ENABLES_FROM[who].includes(disabledReason) ? who : 'platform'
}

/** How it gets enabled again, as an imperative without its end: “enable the subscription”. */
export function howToEnable(subscription: SubscriptionRecord, call: Call): string {
  switch (whoEnables(subscription)) {
    case 'account':
      return 'enable the subscription'
    case 'integration':
      return subscription.integration === 'other'
        ? 'create the subscription again from the program that created it'
        : `switch the automation off and on again in ${integrationName(subscription, call)}, which creates the subscription again`
    case 'platform':
      return 'contact the platform to have the subscription enabled'
  }
}

/** Joins advice: whole sentences for what comes first, if anything does, and an imperative without its end for what follows. */
export function firstThen(first: string | undefined, then: string): string {
  return first === undefined ? `${then.charAt(0).toUpperCase()}${then.slice(1)}.` : `${first} Then ${then}.`
}
