import type { AuditEntry, DeliveryRecord, LoggedAttempt } from '@callboard/core'
import { type NumberedAttempt, resendBefore } from '@callboard/core/engine'
import type { Call } from '../../call.ts'
import { jsonView } from '../../components/json-view.ts'
import { duration, number } from '../../components/number.ts'
import { type TimelineEntry, timeline } from '../../components/timeline.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { actorName } from '../audit/audit-words.ts'
import { attemptWords } from './attempt-words.ts'

/** Who changed the subscription, newest first, and the names of keys, by id. */
export interface Audit {
  readonly entries: readonly AuditEntry[]
  readonly names: ReadonlyMap<string, string>
}

/**
 * The next attempt of a delivery, if one is scheduled, followed by all past attempts, newest first, with a line between
 * those before and those after a resend.
 */
export function attemptsTimeline(
  delivery: DeliveryRecord,
  attempts: readonly NumberedAttempt[],
  audit: Audit,
  call: Call,
): Html {
  const past = attempts.flatMap((attempt, index) => [
    entry(attempt, index === 0, call),
    ...(attempt.resentAfter ? [resent(attempt, audit, call)] : []),
  ])
  return timeline(call, [...upcoming(delivery, call), ...past])
}

function resent(attempt: NumberedAttempt, { entries, names }: Audit, call: Call): TimelineEntry {
  const { resentBy, resent: title } = call.texts.deliveries
  const found = resendBefore(attempt, entries)
  return {
    ...{ id: `resent-${attempt.id}`, tone: 'neutral', shape: 'retry' },
    title: found === undefined ? title : resentBy(visibleText(actorName(call, found.actor, names))),
    at: found?.at,
  }
}

function upcoming({ state, nextAttemptAt, pausedUntil }: DeliveryRecord, call: Call): TimelineEntry[] {
  const words = call.texts.deliveries.upcoming
  if (state === 'pending' && nextAttemptAt === undefined)
    return [{ id: 'next', tone: 'neutral', shape: 'clock', title: words.queued }]
  if (nextAttemptAt === undefined) return []
  const due = pausedUntil === undefined && nextAttemptAt.getTime() <= call.engine.now()
  return [
    {
      id: 'next',
      tone: 'accent',
      shape: 'clock',
      title: due ? words.due : pausedUntil === undefined ? words.next : words.atEarliest,
      at: due ? undefined : nextAttemptAt,
    },
  ]
}

function entry(attempt: NumberedAttempt, newest: boolean, call: Call): TimelineEntry {
  const delivered = attempt.outcome === 'delivered'
  const { short, cause } = attemptWords(call, attempt)
  const words = call.texts.deliveries
  return {
    id: attempt.id,
    tone: delivered ? 'success' : attempt.outcome === 'expired' ? 'neutral' : 'danger',
    shape: delivered ? 'check' : attempt.outcome === 'expired' ? 'clock' : 'cross',
    title: words.attempt(number(call, attempt.nth), short),
    at: attempt.startedAt,
    aside: words.took(duration(call, attempt.durationMs)),
    body:
      attempt.status === undefined
        ? html`<p>${cause}.</p>`
        : attemptResponse({ ...attempt, number: attempt.nth }, call, { open: newest && !delivered }),
  }
}

export interface ResponseOptions {
  readonly open: boolean
  /** “Response” by default. */
  readonly title?: string | undefined
}

/** Shows a response as inert text. Only viewers who may see personal data see it, because it might contain some. */
export function attemptResponse(
  { response: text, number: which }: LoggedAttempt,
  call: Call,
  { open, title = call.texts.deliveries.response }: ResponseOptions,
): Html {
  const words = call.texts.deliveries
  if (!call.may('people.read')) return html`<p class="muted">${words.responseHidden}</p>`
  if (text === undefined || text === '') return html`<p class="muted">${words.noResponseBody}</p>`
  return html`
    <details open=${open}>
      <summary>${title}</summary>
      ${jsonView(call, text, { label: words.responseTo(number(call, which)) })}
    </details>`
}
