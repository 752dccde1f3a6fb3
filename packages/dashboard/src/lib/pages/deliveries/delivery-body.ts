import type { DeliveryRecord, SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { facts } from '../../components/facts.ts'
import { jsonView } from '../../components/json-view.ts'
import { type Html, html } from '../../html.ts'
import { readInVersion, UNCONVERTIBLE } from '../read-in-version.ts'
import { type PersonalDataSent, personalDataSent } from './personal-data-sent.ts'

/** The body and the headers that the subscription receives. */
export async function deliveryBody(
  { eventId, type }: DeliveryRecord,
  subscription: SubscriptionRecord,
  call: Call,
): Promise<Html> {
  if (!call.may('events.read'))
    return card({ title: 'Body' }, html`<p class="muted">Hidden: you do not have permission to see events.</p>`)
  const event = { accountId: call.accountId, mode: call.mode, id: eventId }
  const personal = await personalDataSent(subscription, call)
  const shown = personal.sent && call.may('people.read')
  const text = await readInVersion(event, { personalData: shown, apiVersion: subscription.apiVersion }, call)
  if (text === 'unconvertible') return card({ title: 'Body' }, UNCONVERTIBLE)
  if (text === undefined)
    return card({ title: 'Body' }, html`<p class="muted">The event has expired: its retention period has ended.</p>`)
  const version = call.engine.formats.served(subscription.apiVersion)
  const hasPersonalData = (version.get(type)?.personalDataPaths.length ?? 0) > 0
  return card({ title: 'Body as sent' }, [
    hasPersonalData && html`<p class="muted">${personalDataText(personal, shown)}</p>`,
    jsonView(text, 'body'),
    html`
        <details>
          <summary>Headers</summary>
          ${facts([
            ['content-type', html`<code>application/json</code>`],
            [
              'webhook-id',
              html`<span><code>${eventId}</code>, the same on every attempt; use it to drop duplicates</span>`,
            ],
            ['webhook-timestamp', 'when the attempt was made, as a Unix timestamp; new on each attempt'],
            [
              'webhook-signature',
              'signs id, timestamp and body with the signing secret; verify it before you trust the body',
            ],
            ['user-agent', 'starts with Callboard/'],
          ])}
        </details>`,
  ])
}

function personalDataText({ sent, why }: PersonalDataSent, shown: boolean): string {
  if (!sent) return `Personal data is not sent: ${why}.`
  if (!shown) return 'Personal data is sent, but hidden here: you do not have permission to see it.'
  return `Personal data is sent: ${why}.`
}
