import type { SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { auditLink } from '../../components/audit-link.ts'
import { card } from '../../components/card.ts'
import { copyable } from '../../components/copyable.ts'
import { facts } from '../../components/facts.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { personalDataSent } from '../deliveries/personal-data-sent.ts'
import { versionInWords } from '../format-version.ts'
import { managedBy } from './manager.ts'

/** The settings of a subscription. */
export async function aboutCard(subscription: SubscriptionRecord, call: Call): Promise<Html> {
  const { id, targetUrl, eventTypes, externalRef, mode, apiVersion, createdAt } = subscription
  const personal = await personalDataSent(subscription, call)
  return card(
    { title: 'About' },
    facts([
      ['Target', copyable(targetUrl, 'target')],
      ['Event types', html`<div class="stack">${eventTypes.map((type) => typeInWords(type, apiVersion, call))}</div>`],
      ['Personal data', `${personal.sent ? 'Sent' : 'Not sent'}: ${personal.why}.`],
      ['Integration', managedBy(subscription, call)],
      externalRef === undefined ? undefined : ['External reference', visibleText(externalRef)],
      ['Mode', mode === 'live' ? 'Live' : 'Test'],
      ['Format version', versionInWords(apiVersion, call)],
      ['Created', time(createdAt, { as: 'full' })],
      auditLink(call, id),
      ['ID', copyable(id, 'subscription ID')],
    ]),
  )
}

function typeInWords(name: string, version: string, { engine: { formats }, describe }: Call): Html {
  const type = formats.served(version).get(name)
  const text = type === undefined ? 'no longer offered' : describe(type.descriptionKey)
  return html`<div><code>${name}</code>${text && html`<p class="hint">${text}</p>`}</div>`
}
