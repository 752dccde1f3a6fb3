import type { DeliveryState, FoundEvent } from '@callboard/core'
import { COUNTED_DELIVERIES } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { number } from '../../components/number.ts'
import { deliveryBadge } from '../../components/state-badges.ts'
import { type Html, html } from '../../html.ts'

/** The states in the order in which they are shown: first those that need attention. */
const ORDER: readonly DeliveryState[] = [
  'exhausted',
  'retrying',
  'disabled',
  'skipped',
  'expired',
  'pending',
  'delivered',
]

/** How the deliveries of an event went: a badge for each state, with the number of deliveries if there are several. */
export function deliveryOutcomes({ deliveries, more }: Pick<FoundEvent, 'deliveries' | 'more'>, call: Call): Html {
  const states = ORDER.flatMap((state) => {
    const count = deliveries[state] ?? 0
    return count === 0 ? [] : [{ state, count }]
  })
  if (states.length === 0) return html`<span class="muted">${call.texts.events.noSubscription}</span>`
  return html`
    <div class="outcomes">
      ${states.map(({ state, count }) => html`<span>${deliveryBadge(call, state)}${(count > 1 || more) && html`<span class="times">×${number(call, count)}${isCut(count, more) && '+'}</span>`}</span>`)}
    </div>`
}

/** Whether there may be more deliveries in a state than were counted. */
function isCut(count: number, more: boolean): boolean {
  return more || count >= COUNTED_DELIVERIES
}

/** Marks the events that need attention. */
export function outcomeTone({ deliveries }: Pick<FoundEvent, 'deliveries'>): Tone | undefined {
  if ((deliveries.exhausted ?? 0) > 0) return 'danger'
  return (deliveries.retrying ?? 0) > 0 ? 'warning' : undefined
}
