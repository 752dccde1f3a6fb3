import type { Call } from '../../../call.ts'
import { codeTabs } from '../../../components/code-tabs.ts'
import { type Html, html } from '../../../html.ts'
import { snippets } from './snippets.generated.ts'

/** Shows code with which a receiver verifies deliveries. The code reads the secret from the environment. */
export function verification(call: Pick<Call, 'texts'>): Html {
  const { verifyBody, verifying } = call.texts.secrets
  return html`
    <div class="stack">
      <p>${verifyBody(html`<code>WEBHOOK_SECRET</code>`)}</p>
      ${codeTabs(call, { id: 'verification', label: verifying, snippets })}
    </div>`
}
