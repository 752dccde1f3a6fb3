import { type Nameable, subscriptionName } from '@callboard/core/engine'
import { type Html, html } from '../html.ts'
import { target } from './target.ts'
import { visibleText } from './visible-text.ts'

/** The name by which people know a subscription. */
export function nameOf(subscription: Nameable): Html {
  return isTarget(subscription) ? target(subscription.targetUrl) : visibleText(subscriptionName(subscription))
}

/** The target of a subscription, below its name. Nothing if the target is the name. */
export function targetBelow(subscription: Nameable): Html {
  return !isTarget(subscription) && html`<p class="second cut">${target(subscription.targetUrl)}</p>`
}

function isTarget({ description, externalRef }: Nameable): boolean {
  return description === undefined && externalRef === undefined
}
