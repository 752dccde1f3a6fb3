import { codeTabs } from '../../../components/code-tabs.ts'
import { type Html, html } from '../../../html.ts'
import { snippets } from './generated.ts'

/** How a receiver verifies what it gets, with the secret in its environment. */
export function verification(): Html {
  return html`
    <div class="stack">
      <p>Each delivery is signed with the secret (Standard Webhooks). Verify it before you trust it; the secret is read from the environment, <code>WEBHOOK_SECRET</code>.</p>
      ${codeTabs('verification', 'Verifying a delivery', snippets)}
    </div>`
}
