import type { FailedAttempt } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { nameOf, targetBelow } from '../../components/subscription-name.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { attemptWords } from '../deliveries/attempt-words.ts'
import { subjectText } from '../events/subject-text.ts'

/** The newest failures of all subscriptions, each with a link to its delivery. */
export function failuresCard(failures: readonly FailedAttempt[], call: Call): Html {
  const words = call.texts.overview
  if (failures.length === 0)
    return card({ title: words.newestFailures }, emptyState(words.noneFailed.title, words.noneFailed.body))
  const table = dataTable<FailedAttempt>({
    caption: words.failuresCaption,
    columns: [
      {
        head: call.texts.deliveries.event,
        kind: 'main',
        cell: ({ attempt: { subscriptionId, eventId }, event }) => html`
          <div>
            <a href=${call.href(`/subscriptions/${subscriptionId}/deliveries/${eventId}`)}>${event?.type ?? html`<code>${eventId}</code>`}</a>
            ${event && call.may('events.read') && html`<p class="second">${subjectText(event.subject)}</p>`}
          </div>`,
      },
      {
        head: call.texts.subscriptions.one,
        phone: 'bare',
        cell: ({ subscription }) => [
          html`<a class="cut wide-cut" href=${call.href(`/subscriptions/${subscription.id}`)}>${nameOf(subscription)}</a>`,
          targetBelow(subscription),
        ],
      },
      { head: words.answer, phone: 'bare', cell: ({ attempt }) => attemptWords(call, attempt).short },
      { head: words.failedAt, phone: 'bare', cell: ({ attempt }) => time(call, endOf(attempt)) },
    ],
    rows: failures,
    id: ({ attempt }) => `failure-${attempt.id}`,
  })
  return card({ title: words.newestFailures, flush: true }, table)
}

/** The list is in the order in which the attempts ended. */
function endOf({ startedAt, durationMs }: FailedAttempt['attempt']): Date {
  return new Date(startedAt.getTime() + durationMs)
}
