import { CallboardError, type Envelope } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { copyable } from '../../components/copyable.ts'
import { facts } from '../../components/facts.ts'
import { jsonView } from '../../components/json-view.ts'
import { notice } from '../../components/notice.ts'
import { number } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { readInVersion } from '../read-in-version.ts'
import { readList, unreadableList } from '../unreadable-list.ts'
import { otherVersion, sideBySide, versionChoice } from './compare-versions.ts'
import { eventDeliveries } from './event-deliveries.ts'

/** Shows one event: its envelope and its deliveries. */
export async function showEvent(call: Call): Promise<Page> {
  const { callboard, engine, accountId, mode } = call
  const { id = '' } = call.params
  const event = { accountId, mode, id }
  const personalData = call.may('people.read')
  const cursor = call.query.get('cursor') || undefined
  const other = otherVersion(call)
  const [text, compared, deliveries] = await Promise.all([
    engine.eventTexts.find({ ...event, personalData }),
    other === undefined ? undefined : readInVersion(event, { personalData, apiVersion: other }, call),
    call.may('webhooks.read') ? readList(callboard.deliveries.ofEvent({ ...event, eventId: event.id, cursor })) : null,
  ])
  if (text === undefined) throw new CallboardError('NOT_FOUND', 'There is no such event.')
  if (deliveries === undefined) return unreadableList(call, `/events/${id}`)
  const { type, subject, occurred_at, version, correlation_id }: Envelope = JSON.parse(text)
  const { common, deliveries: deliveryWords, events: words, formatVersions } = call.texts
  const muted = (inner: string): Html => html`<span class="muted">${inner}</span>`
  const hasPersonalData = (callboard.catalog.get(type)?.personalDataPaths.length ?? 0) > 0
  return {
    title: `${type} ${id}`,
    section: 'events',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(type, { up: { text: words.title, href: call.href('/events') } })}
        ${notice(call, deliveryWords.done)}
        ${card(
          {},
          facts([
            [common.id, copyable(call, id, deliveryWords.eventId)],
            [words.occurred, time(call, new Date(occurred_at), { as: 'both' })],
            [words.subject, html`<span>${visibleText(subject.type)} ${visibleText(subject.id)}</span>`],
            [words.sequence, words.sequenceOfSubject(number(call, subject.sequence), muted)],
            correlation_id === null ? undefined : [words.correlationId, visibleText(correlation_id)],
            [formatVersions.title, version],
          ]),
        )}
        ${deliveries && (await eventDeliveries(type, deliveries, call))}
        ${card({ title: words.envelope }, [
          hasPersonalData && !personalData && html`<p class="muted">${words.personalDataHidden}</p>`,
          versionChoice(call),
          compared === undefined || other === undefined
            ? jsonView(call, text, { label: words.envelopeName, open: true })
            : sideBySide(call, { version, text }, { version: other, text: compared }),
        ])}
      </section>`,
  }
}
