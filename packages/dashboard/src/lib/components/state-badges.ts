import type { DeliveryState, Trouble } from '@callboard/core'
import type { Call } from '../call.ts'
import type { Html } from '../html.ts'
import { badge, type Tone } from './badge.ts'
import type { IconName } from './icon.ts'

interface Look {
  readonly tone: Tone
  readonly shape: IconName
}

const DELIVERY_STATES: Readonly<Record<DeliveryState, Look>> = {
  pending: { tone: 'neutral', shape: 'clock' },
  retrying: { tone: 'warning', shape: 'retry' },
  delivered: { tone: 'success', shape: 'check' },
  exhausted: { tone: 'danger', shape: 'cross' },
  skipped: { tone: 'neutral', shape: 'next' },
  expired: { tone: 'neutral', shape: 'clock' },
  disabled: { tone: 'neutral', shape: 'pause' },
}

export function deliveryBadge(call: Pick<Call, 'texts'>, state: DeliveryState): Html {
  const { tone, shape } = DELIVERY_STATES[state]
  return badge(tone, call.texts.deliveries.states[state], shape)
}

/** A subscription's state as the viewer sees it: what is wrong with it, otherwise that it is active. */
export type ShownState = 'active' | Trouble

const SUBSCRIPTION_STATES: Readonly<Record<ShownState, Look>> = {
  active: { tone: 'success', shape: 'check' },
  failing: { tone: 'danger', shape: 'alert' },
  paused: { tone: 'danger', shape: 'pause' },
  behind: { tone: 'warning', shape: 'clock' },
  slow: { tone: 'warning', shape: 'clock' },
  heldBack: { tone: 'neutral', shape: 'clock' },
  disabled: { tone: 'neutral', shape: 'minus' },
}

export function subscriptionBadge(call: Pick<Call, 'texts'>, state: ShownState): Html {
  const { tone, shape } = SUBSCRIPTION_STATES[state]
  return badge(tone, call.texts.subscriptions.states[state], shape)
}
