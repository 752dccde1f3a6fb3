import type { DeliveryState } from '@callboard/core'
import { CAPS, DELIVERY_STATES, type FoundEvent } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { number } from '../../components/number.ts'
import { deliveryBadge } from '../../components/state-badges.ts'
import { type Html, html } from '../../html.ts'

/** The states in the order in which they are shown: first those that need attention. */
const ORDER: readonly DeliveryState[] = [
  ...new Set<DeliveryState>(['exhausted', 'retrying', 'disabled', 'skipped', 'expired', ...DELIVERY_STATES]),
]

/** The states of an event's deliveries: a badge for the one that needs most attention, and the others as text. */
export function deliveryOutcomes({ deliveries, more }: Pick<FoundEvent, 'deliveries' | 'more'>, call: Call): Html {
  const [first, ...others] = ORDER.flatMap((state) => {
    const count = deliveries[state] ?? 0
    return count === 0 ? [] : [{ state, times: times(count, more, call) }]
  })
  if (first === undefined) return html`<span class="muted">${call.texts.events.noSubscription}</span>`
  const { states } = call.texts.deliveries
  return [
    deliveryBadge(call, first.state, first.times),
    others.length > 0 &&
      html`<p class="second">${others.map((other, index) => [index > 0 && ' · ', states[other.state], other.times])}</p>`,
  ]
}

/**
 * How many deliveries are in a state: “×3”, or “×25+” if there may be more than were counted. Undefined for exactly
 * one delivery.
 */
function times(count: number, more: boolean, call: Call): string | undefined {
  if (more || count >= CAPS.deliveries) return ` ×${number(call, count)}+`
  return count === 1 ? undefined : ` ×${number(call, count)}`
}

/** Marks the events that need attention. */
export function outcomeTone({ deliveries }: Pick<FoundEvent, 'deliveries'>): Tone | undefined {
  if ((deliveries.exhausted ?? 0) > 0) return 'danger'
  return (deliveries.retrying ?? 0) > 0 ? 'warning' : undefined
}
