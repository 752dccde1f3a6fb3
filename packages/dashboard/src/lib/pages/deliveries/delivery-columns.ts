import type { DeliveryRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import type { Column } from '../../components/data-table.ts'
import { number } from '../../components/number.ts'
import { deliveryBadge } from '../../components/state-badges.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { attemptWords } from './attempt-words.ts'

/** How deliveries stand, wherever they are listed; which they are, the list says before these. */
export function deliveryColumns(call: Call): readonly Column<DeliveryRecord>[] {
  return [
    { head: 'State', cell: ({ state }) => deliveryBadge(state) },
    { head: 'Last attempt', kind: 'wide', cell: lastAttempt },
    { head: 'Next try', cell: (delivery) => nextTry(delivery, call) },
    { head: 'Tries', kind: 'number', cell: ({ tries }) => number(call, tries) },
  ]
}

/** Marks the rows that want attention. */
export function deliveryTone({ state }: DeliveryRecord): Tone | undefined {
  return state === 'exhausted' ? 'danger' : undefined
}

export function deliveryHref({ subscriptionId, eventId }: DeliveryRecord, call: Call): string {
  return call.href(`/subscriptions/${subscriptionId}/deliveries/${eventId}`)
}

function lastAttempt({ lastAttempt: last }: DeliveryRecord): Html {
  if (last === undefined) return undefined
  return html`<span>${attemptWords(last).short} <span class="muted">${time(last.at)}</span></span>`
}

/** When it is tried next; what is due waits for a worker, or for the breaker. */
export function nextTry({ state, nextTryAt }: DeliveryRecord, call: Call): Html {
  if (nextTryAt !== undefined) return nextTryAt.getTime() > call.engine.now() ? time(nextTryAt) : 'due now'
  return state === 'pending' ? 'in its turn' : undefined
}
