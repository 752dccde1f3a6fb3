import { type Html, html } from '../html.ts'
import { copyButton } from './copyable.ts'
import { icon } from './icon.ts'

export interface SecretOptions {
  /** The secret's name, such as “Signing secret”. */
  readonly name: string
  readonly secret: string
  /** Tells the viewer where to store the secret. */
  readonly next: Html
}

/**
 * A secret, on the only page that shows it. Without the script there is no copy button, but one click selects the
 * secret.
 */
export function secretOnce({ name, secret, next }: SecretOptions): Html {
  return html`
    <section class="secret" aria-labelledby="secret-name">
      <h2 id="secret-name">${name}</h2>
      <p class="secret-value"><code>${secret}</code>${copyButton(secret, name.toLowerCase())}</p>
      <p class="secret-warning">${icon('alert')}<span><strong>Copy it now. It will not be shown again.</strong> ${next}</span></p>
    </section>`
}
