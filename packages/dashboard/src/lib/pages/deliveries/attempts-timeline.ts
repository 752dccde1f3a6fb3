import type { DeliveryRecord, LoggedAttempt } from '@callboard/core'
import type { Call } from '../../call.ts'
import { jsonView } from '../../components/json-view.ts'
import { duration, number } from '../../components/number.ts'
import { type TimelineEntry, timeline } from '../../components/timeline.ts'
import { type Html, html } from '../../html.ts'
import { attemptWords } from './attempt-words.ts'

/** What was tried, newest first, and before it what comes. */
export function attemptsTimeline(delivery: DeliveryRecord, attempts: readonly LoggedAttempt[], call: Call): Html {
  return timeline([...upcoming(delivery, call), ...attempts.map((attempt, index) => entry(attempt, index === 0, call))])
}

function upcoming({ state, nextTryAt }: DeliveryRecord, call: Call): TimelineEntry[] {
  if (state === 'pending') return [{ id: 'next', tone: 'neutral', shape: 'clock', title: 'Goes out in its turn' }]
  if (nextTryAt === undefined) return []
  const due = nextTryAt.getTime() <= call.engine.now()
  return [
    {
      id: 'next',
      tone: 'accent',
      shape: 'clock',
      title: due ? 'Next try is due now' : 'Next try',
      at: due ? undefined : nextTryAt,
    },
  ]
}

function entry(attempt: LoggedAttempt, newest: boolean, call: Call): TimelineEntry {
  const delivered = attempt.outcome === 'delivered'
  const { short, cause } = attemptWords(attempt)
  return {
    id: attempt.id,
    tone: delivered ? 'success' : attempt.outcome === 'expired' ? 'neutral' : 'danger',
    shape: delivered ? 'check' : attempt.outcome === 'expired' ? 'clock' : 'cross',
    title: `Attempt ${number(call, attempt.number)}: ${short}`,
    at: attempt.startedAt,
    aside: `took ${duration(call, attempt.durationMs)}`,
    body: attempt.status === undefined ? html`<p>${cause}.</p>` : response(attempt, call, newest && !delivered),
  }
}

/** An answer is a stranger's text, and may repeat what it was sent. */
function response({ response: text, number: which }: LoggedAttempt, call: Call, open: boolean): Html {
  if (!call.may('people.read'))
    return html`<p class="muted">The response is hidden: it may hold personal data, which your sign-in does not include.</p>`
  if (text === undefined || text === '') return html`<p class="muted">No response body is kept.</p>`
  return html`
    <details open=${open}>
      <summary>Response</summary>
      ${jsonView(text, `response to attempt ${which}`)}
    </details>`
}
