import type { DeliveryState } from '@callboard/core'
import type { Html } from '../html.ts'
import { badge, type Tone } from './badge.ts'
import type { IconName } from './icon.ts'

interface StateWords {
  readonly text: string
  readonly tone: Tone
  readonly shape: IconName
}

/** The words for delivery states, shared by pages, filters and badges. */
export const DELIVERY_STATES: Readonly<Record<DeliveryState, StateWords>> = {
  pending: { text: 'Pending', tone: 'neutral', shape: 'clock' },
  retrying: { text: 'Retrying', tone: 'warning', shape: 'retry' },
  delivered: { text: 'Delivered', tone: 'success', shape: 'check' },
  exhausted: { text: 'Exhausted', tone: 'danger', shape: 'cross' },
  skipped: { text: 'Skipped', tone: 'neutral', shape: 'next' },
  expired: { text: 'Expired', tone: 'neutral', shape: 'clock' },
  disabled: { text: 'Disabled', tone: 'neutral', shape: 'pause' },
}

export function deliveryBadge(state: DeliveryState): Html {
  const { text, tone, shape } = DELIVERY_STATES[state]
  return badge(tone, text, shape)
}

/** A subscription's state as the viewer sees it. An active subscription whose last attempts failed is `failing`. */
export type SubscriptionStanding = 'active' | 'failing' | 'disabled'

const STANDINGS: Readonly<Record<SubscriptionStanding, StateWords>> = {
  active: { text: 'Active', tone: 'success', shape: 'check' },
  failing: { text: 'Failing', tone: 'danger', shape: 'alert' },
  disabled: { text: 'Disabled', tone: 'neutral', shape: 'pause' },
}

export function subscriptionBadge(standing: SubscriptionStanding): Html {
  const { text, tone, shape } = STANDINGS[standing]
  return badge(tone, text, shape)
}
