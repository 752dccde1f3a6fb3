import type { DisabledReason, SubscriptionRecord } from '@callboard/core'
import type { SubscriptionStanding } from '../../components/state-badges.ts'

/** How a subscription stands, and what for, in words. */
interface StateInWords {
  readonly standing: SubscriptionStanding
  readonly reason: string | undefined
}

const DISABLED: Readonly<Record<DisabledReason, string>> = {
  gone: 'The target said that it is gone (410).',
  failing: 'Nothing arrived there for five days.',
  key: 'Its API key was revoked or has expired.',
  manual: 'It was switched off by hand.',
}

export function stateInWords({ state, disabledReason }: SubscriptionRecord): StateInWords {
  if (state === 'active') return { standing: 'active', reason: undefined }
  return { standing: 'disabled', reason: DISABLED[disabledReason ?? 'manual'] }
}
