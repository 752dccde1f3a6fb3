import type { DeliveryRecord, SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { facts } from '../../components/facts.ts'
import { jsonView } from '../../components/json-view.ts'
import { type Html, html } from '../../html.ts'
import { type PersonalDataSent, personalDataSent } from './personal-data-sent.ts'

/** The body as the subscription is sent it, and what is in the headers. */
export async function deliveryBody(
  { eventId, type }: DeliveryRecord,
  subscription: SubscriptionRecord,
  call: Call,
): Promise<Html> {
  if (!call.may('events.read'))
    return card({ title: 'Body' }, html`<p class="muted">Hidden: your sign-in does not include events.</p>`)
  const event = { accountId: call.accountId, mode: call.mode, id: eventId }
  const personal = await personalDataSent(subscription, call)
  const shown = personal.sent && call.may('people.read')
  const text = await call.engine.eventTexts.find(event, { personalData: shown })
  if (text === undefined)
    return card({ title: 'Body' }, html`<p class="muted">The event has been removed: its retention is over.</p>`)
  const holdsPeople = (call.callboard.catalog.get(type)?.personalDataPaths.length ?? 0) > 0
  return card({ title: 'Body as it is sent' }, [
    holdsPeople && html`<p class="muted">${ofPeople(personal, shown)}</p>`,
    jsonView(text, 'body'),
    html`
        <details>
          <summary>Headers</summary>
          ${facts([
            ['content-type', html`<code>application/json</code>`],
            [
              'webhook-id',
              html`<span><code>${eventId}</code>, the same at every try: drop by it what comes twice</span>`,
            ],
            ['webhook-timestamp', 'when the attempt was made, in seconds since 1970; new at each try'],
            [
              'webhook-signature',
              'over id, timestamp and body, by the signing secret: verify it before trusting the body',
            ],
            ['user-agent', 'begins with Callboard/'],
          ])}
        </details>`,
  ])
}

function ofPeople({ sent, why }: PersonalDataSent, shown: boolean): string {
  if (!sent) return `Personal data is left out: ${why}.`
  if (!shown) return 'Personal data is sent, but hidden here: your sign-in does not include it.'
  return `Personal data is sent: ${why}.`
}
