import type { DeliveryState } from '@callboard/core'
import { CAPS, DELIVERY_STATES, type FoundEvent } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { number } from '../../components/number.ts'
import { type Html, html } from '../../html.ts'

/** The other states in the order in which they are shown: first those that need attention. */
const ORDER: readonly DeliveryState[] = [
  ...new Set<DeliveryState>(['exhausted', 'retrying', 'pending', ...DELIVERY_STATES]),
].filter((state) => state !== 'delivered')

/** How many of an event's due deliveries succeeded, with a small bar, and the states of the others. */
export function deliveryOutcomes(
  { deliveries, due, more }: Pick<FoundEvent, 'deliveries' | 'due' | 'more'>,
  call: Call,
): Html {
  const counted = (states: readonly DeliveryState[]): number =>
    states.reduce((sum, state) => sum + (deliveries[state] ?? 0), 0)
  if (counted(DELIVERY_STATES) === 0) return html`<span class="muted">${call.texts.events.noSubscription}</span>`
  const delivered = counted(['delivered'])
  const { states } = call.texts.deliveries
  const others = ORDER.filter((state) => counted([state]) > 0)
  const upTo = (value: number): string => `${number(call, value)}${more || value >= CAPS.deliveries ? '+' : ''}`
  return [
    due > 0 && [
      html`<span class="share-text">${call.texts.events.deliveredOf(number(call, delivered), upTo(due))}</span>`,
      bar({ delivered, failed: counted(['exhausted', 'expired']), due }),
    ],
    others.length > 0 &&
      html`<p class="second">${others.map((state, index) => [index > 0 && ' · ', `${states[state]} ×${upTo(counted([state]))}`])}</p>`,
  ]
}

const WIDTH = 48

function bar({ delivered, failed, due }: Readonly<Record<'delivered' | 'failed' | 'due', number>>): Html {
  const width = (count: number): number => (WIDTH * count) / due
  return html`
    <svg class="share" viewBox=${`0 0 ${WIDTH} 6`} aria-hidden="true" focusable="false">
      <rect class="bar-none" width=${WIDTH} height="6" rx="2" />
      <rect class="bar-delivered" width=${width(delivered)} height="6" rx="2" />
      <rect class="bar-failed" x=${width(due - failed)} width=${width(failed)} height="6" rx="2" />
    </svg>`
}

/** Marks the events that need attention. */
export function outcomeTone({ deliveries }: Pick<FoundEvent, 'deliveries'>): Tone | undefined {
  if ((deliveries.exhausted ?? 0) > 0) return 'danger'
  return (deliveries.retrying ?? 0) > 0 ? 'warning' : undefined
}
