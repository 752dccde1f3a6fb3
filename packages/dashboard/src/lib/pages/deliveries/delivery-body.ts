import type { DeliveryRecord, SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { facts } from '../../components/facts.ts'
import { jsonView } from '../../components/json-view.ts'
import { type Html, html } from '../../html.ts'
import { readInVersion, unconvertible } from '../read-in-version.ts'
import { signaturesInWords } from '../subscriptions/signatures-in-words.ts'
import { type PersonalDataSent, personalDataSent } from './personal-data-sent.ts'

/** The body and the headers of the delivery's requests. */
export async function deliveryBody(
  { eventId, type }: DeliveryRecord,
  subscription: SubscriptionRecord,
  call: Call,
): Promise<Html> {
  const words = call.texts.deliveries.body
  const { userAgent } = call.engine.headerNames
  const others = subscription.signatures.filter((format) => format !== 'standard')
  const without = (text: string): Html => card({ title: words.title }, html`<p class="muted">${text}</p>`)
  if (!call.may('events.read')) return without(words.hidden)
  const event = { accountId: call.accountId, mode: call.mode, id: eventId }
  const personal = await personalDataSent(subscription, call)
  const shown = personal.sent && call.may('people.read')
  const text = await readInVersion(event, { personalData: shown, apiVersion: subscription.apiVersion }, call)
  if (text === 'unconvertible') return card({ title: words.title }, unconvertible(call))
  if (text === undefined) return without(words.expired)
  const version = call.engine.formats.served(subscription.apiVersion)
  const hasPersonalData = (version.get(type)?.personalDataPaths.length ?? 0) > 0
  return card({ title: words.asSent }, [
    hasPersonalData && html`<p class="muted">${personalDataText(personal, shown, call)}</p>`,
    jsonView(call, text, { label: words.name }),
    html`
        <details>
          <summary>${words.headers}</summary>
          ${facts([
            ['content-type', html`<code>application/json</code>`],
            ['accept', html`<code>*/*</code>`],
            ['webhook-id', words.idHeader(html`<code>${eventId}</code>`)],
            ['webhook-timestamp', words.timestampHeader],
            subscription.signatures.includes('standard') ? ['webhook-signature', words.signatureHeader] : undefined,
            ['user-agent', userAgent === undefined ? words.agentHeader('Callboard/') : html`<code>${userAgent}</code>`],
          ])}
          ${others.length > 0 && signaturesInWords(others, call)}
        </details>`,
  ])
}

function personalDataText({ sent, why }: PersonalDataSent, shown: boolean, call: Call): string {
  const words = call.texts.deliveries.personalData
  if (!sent) return words.notSent(why)
  return shown ? words.sent(why) : words.sentButHidden
}
