import type { DisabledReason, SubscriptionRecord } from '@callboard/core'

/** How a subscription stands, in words: the state, and what it is for. */
export interface StateInWords {
  readonly tone: 'good' | 'bad' | 'muted'
  readonly word: string
  readonly reason: string | undefined
}

const DISABLED: Readonly<Record<DisabledReason, string>> = {
  gone: 'the target said that it is gone (410)',
  failing: 'nothing arrived for five days',
  key: 'its API key was revoked or has expired',
  manual: 'switched off by hand',
}

export function stateInWords({ state, disabledReason }: SubscriptionRecord): StateInWords {
  if (state === 'active') return { tone: 'good', word: 'Active', reason: undefined }
  return { tone: 'muted', word: 'Disabled', reason: DISABLED[disabledReason ?? 'manual'] }
}
