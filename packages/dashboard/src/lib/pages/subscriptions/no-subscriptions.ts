import type { Call } from '../../call.ts'
import { emptyState } from '../../components/empty-state.ts'
import { icon } from '../../components/icon.ts'
import { type Html, html } from '../../html.ts'

/** Says how to get the first subscription. */
export function noSubscriptions(call: Call): Html {
  const { none } = call.texts.subscriptions
  const body = none.body(automations(call))
  if (!call.may('webhooks.write')) return emptyState(none.title, body)
  return emptyState(none.title, `${body} ${none.orCreate}`, newLink(call))
}

/** The link to the form for a new subscription. */
export function newLink(call: Call): Html {
  return html`<a class="button button-primary" href=${call.href('/subscriptions/new')}>${icon('plus')}${call.texts.subscriptions.new}</a>`
}

function automations({ callboard, texts }: Call): string {
  const names = callboard.integrations.filter(({ name }) => name !== 'other').map(({ displayName }) => displayName)
  if (names.length === 0) return texts.subscriptions.none.anyTool
  return new Intl.ListFormat(texts.language, { type: 'disjunction' }).format(names)
}
