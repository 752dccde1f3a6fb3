import type { SubscriptionRecord } from '@callboard/core'
import { keyName } from '@callboard/core/engine'
import { unlessStandard } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { auditLink } from '../../components/audit-link.ts'
import { card } from '../../components/card.ts'
import { copyable } from '../../components/copyable.ts'
import { facts } from '../../components/facts.ts'
import { time } from '../../components/time.ts'
import { titled } from '../../components/titled.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { personalDataSent } from '../deliveries/personal-data-sent.ts'
import { versionInWords } from '../format-version.ts'
import { managedBy } from './manager.ts'
import { signaturesInWords } from './signatures-in-words.ts'

/** The settings of a subscription. */
export async function aboutCard(subscription: SubscriptionRecord, call: Call): Promise<Html> {
  const { id, targetUrl, eventTypes, externalRef, mode, apiVersion, signatures, createdAt, confirmedBy } = subscription
  const { common, formatVersions, keys, secrets, subscriptions: words } = call.texts
  const personal = await personalDataSent(subscription, call)
  return card(
    { title: common.about },
    facts([
      [common.target, copyable(call, targetUrl, words.targetName)],
      [
        common.eventTypes,
        html`<div class="stack">${eventTypes.map((type) => typeInWords(type, apiVersion, call))}</div>`,
      ],
      [
        common.personalData,
        personal.sent ? words.personalDataSent(personal.why) : words.personalDataNotSent(personal.why),
      ],
      [words.integration, managedBy(subscription, call)],
      confirmedBy !== undefined && call.may('keys.read') ? [keys.one, await keyLink(confirmedBy, call)] : undefined,
      externalRef === undefined ? undefined : [words.externalReference, visibleText(externalRef)],
      [common.mode, common.modes[mode]],
      unlessStandard(signatures) && [secrets.signatures, signaturesInWords(signatures, call)],
      [formatVersions.title, versionInWords(apiVersion, call)],
      [common.created, time(call, createdAt, { as: 'full' })],
      auditLink(call, id),
      [common.id, copyable(call, id, words.subscriptionId)],
    ]),
  )
}

async function keyLink(id: string, call: Call): Promise<Html> {
  const key = await call.callboard.keys.find({ accountId: call.accountId, id })
  return html`<a href=${call.href(`/keys/${id}`)}>${key === undefined ? id : visibleText(keyName(key))}</a>`
}

function typeInWords(name: string, version: string, { engine: { formats }, describe, texts }: Call): Html {
  const type = formats.served(version).get(name)
  const shown = type && describe(type)
  const text = shown === undefined ? texts.subscriptions.typeNoLongerOffered : shown.description
  return html`<div>${titled(name, shown?.title)}${text && html`<p class="hint">${text}</p>`}</div>`
}
