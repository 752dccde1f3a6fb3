import type { SignatureFormat } from '@callboard/core'
import type { Call } from '../../../call.ts'
import { codeTabs } from '../../../components/code-tabs.ts'
import { type Html, html } from '../../../html.ts'
import { signaturesInWords } from '../signatures-in-words.ts'
import { snippets } from './snippets.generated.ts'

/**
 * Shows code with which a receiver verifies deliveries. The code reads the secret from the environment. If the
 * subscription has no standard signature, shows instead which headers sign its deliveries.
 */
export function verification(call: Pick<Call, 'texts'>, signatures: readonly SignatureFormat[]): Html {
  const { verifyBody, verifying, verifyHeaders } = call.texts.secrets
  if (!signatures.includes('standard'))
    return html`<div class="stack"><p>${verifyHeaders}</p>${signaturesInWords(signatures, call)}</div>`
  return html`
    <div class="stack">
      <p>${verifyBody(html`<code>WEBHOOK_SECRET</code>`)}</p>
      ${codeTabs(call, { id: 'verification', label: verifying, snippets })}
    </div>`
}
