import type { DeliveryState } from '@callboard/core'
import type { Html } from '../html.ts'
import { badge, type Tone } from './badge.ts'
import type { IconName } from './icon.ts'

interface StateWords {
  readonly text: string
  readonly tone: Tone
  readonly shape: IconName
}

/** The states of a delivery, in the words that pages, filters and badges share. */
export const DELIVERY_STATES: Readonly<Record<DeliveryState, StateWords>> = {
  pending: { text: 'Waiting', tone: 'neutral', shape: 'clock' },
  retrying: { text: 'Retrying', tone: 'warning', shape: 'retry' },
  delivered: { text: 'Delivered', tone: 'success', shape: 'check' },
  exhausted: { text: 'Failed', tone: 'danger', shape: 'cross' },
  skipped: { text: 'Skipped', tone: 'neutral', shape: 'next' },
  expired: { text: 'Expired', tone: 'neutral', shape: 'clock' },
  disabled: { text: 'Stopped', tone: 'neutral', shape: 'pause' },
}

export function deliveryBadge(state: DeliveryState): Html {
  const { text, tone, shape } = DELIVERY_STATES[state]
  return badge(tone, text, shape)
}

/** How a subscription stands: `failing` while its last tries failed, `paused` while the breaker holds it back. */
export type SubscriptionStanding = 'active' | 'failing' | 'paused' | 'disabled'

const STANDINGS: Readonly<Record<SubscriptionStanding, StateWords>> = {
  active: { text: 'Active', tone: 'success', shape: 'check' },
  failing: { text: 'Failing', tone: 'danger', shape: 'alert' },
  paused: { text: 'Paused', tone: 'warning', shape: 'pause' },
  disabled: { text: 'Disabled', tone: 'neutral', shape: 'pause' },
}

export function subscriptionBadge(standing: SubscriptionStanding): Html {
  const { text, tone, shape } = STANDINGS[standing]
  return badge(tone, text, shape)
}
