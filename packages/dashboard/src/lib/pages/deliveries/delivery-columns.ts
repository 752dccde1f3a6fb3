import type { DeliveryRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import type { Column } from '../../components/data-table.ts'
import { number } from '../../components/number.ts'
import { deliveryBadge } from '../../components/state-badges.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { attemptWords } from './attempt-words.ts'

type DeliveryColumn = Column<DeliveryRecord>

/** The columns that all lists of deliveries have in common. The first two are the state and the last attempt. */
export function deliveryColumns(call: Call): readonly [DeliveryColumn, DeliveryColumn, ...DeliveryColumn[]] {
  const { common, deliveries } = call.texts
  return [
    { head: common.state, kind: 'state', cell: ({ state }) => deliveryBadge(call, state) },
    { head: deliveries.lastAttempt, kind: 'wide', cell: (delivery) => lastAttempt(delivery, call) },
    { head: deliveries.nextAttempt, cell: (delivery) => nextAttempt(delivery, call) },
    { head: deliveries.attempts, kind: 'number', cell: ({ attempts }) => number(call, attempts) },
  ]
}

/** Marks the rows that need attention. */
export function deliveryTone({ state }: DeliveryRecord): Tone | undefined {
  if (state === 'exhausted') return 'danger'
  return state === 'retrying' ? 'warning' : undefined
}

export function deliveryHref({ subscriptionId, eventId }: DeliveryRecord, call: Call): string {
  return call.href(`/subscriptions/${subscriptionId}/deliveries/${eventId}`)
}

function lastAttempt({ lastAttempt: last }: DeliveryRecord, call: Call): Html {
  if (last === undefined) return undefined
  return html`<span>${attemptWords(call, last).short} <span class="muted">${time(call, last.at)}</span></span>`
}

/**
 * The time of the next attempt, or “due now” if that time has passed. During a pause, the attempt is not before the end
 * of the pause.
 */
export function nextAttempt({ state, nextAttemptAt, pausedUntil }: DeliveryRecord, call: Call): Html {
  const { dueNow, queued, atEarliest } = call.texts.deliveries
  if (pausedUntil !== undefined) return atEarliest(time(call, pausedUntil))
  if (nextAttemptAt !== undefined)
    return nextAttemptAt.getTime() > call.engine.now() ? time(call, nextAttemptAt) : dueNow
  return state === 'pending' ? queued : undefined
}
