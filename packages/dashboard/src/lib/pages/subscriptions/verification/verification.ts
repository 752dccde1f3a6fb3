import { codeTabs } from '../../../components/code-tabs.ts'
import { type Html, html } from '../../../html.ts'
import { snippets } from './generated.ts'

/** Shows code with which a receiver verifies deliveries. The code reads the secret from the environment. */
export function verification(): Html {
  return html`
    <div class="stack">
      <p>Each delivery is signed with the secret (Standard Webhooks). Verify the signature before you trust the body. The examples read the secret from <code>WEBHOOK_SECRET</code>.</p>
      ${codeTabs('verification', 'Verifying a delivery', snippets)}
    </div>`
}
