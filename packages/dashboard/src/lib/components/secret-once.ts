import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { copyButton } from './copyable.ts'
import { icon } from './icon.ts'

export interface SecretOptions {
  /** The title, such as “Signing secret”. */
  readonly title: string
  /** The noun in the copy button's accessible name, such as “signing secret” in “Copy signing secret”. */
  readonly name: string
  readonly secret: string
  /** Tells the viewer where to store the secret. */
  readonly next: Html
}

/**
 * A secret, on the only page that shows it. Without JavaScript there is no copy button, but one click selects
 * the secret.
 */
export function secretOnce(call: Pick<Call, 'texts'>, { title, name, secret, next }: SecretOptions): Html {
  return html`
    <section class="secret" aria-labelledby="secret-name">
      <h2 id="secret-name">${title}</h2>
      <p class="secret-value"><code>${secret}</code>${copyButton(call, secret, name)}</p>
      <p class="secret-warning">${icon('alert')}<span><strong>${call.texts.common.copyNow}</strong> ${next}</span></p>
    </section>`
}
