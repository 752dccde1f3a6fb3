import type { SignatureFormat } from '@callboard/core'
import type { Call } from '../../../call.ts'
import { codeTabs } from '../../../components/code-tabs.ts'
import { type Html, html } from '../../../html.ts'
import { signaturesInWords } from '../signatures-in-words.ts'
import { STANDARD_NODE, snippets } from './snippets.generated.ts'

/**
 * Shows code with which a receiver verifies deliveries. The code reads the secret from the environment. On the pages of
 * a platform with a brand of its own, it does not name our package. If the subscription has no standard signature, shows
 * instead which headers sign its deliveries.
 */
export function verification(call: Pick<Call, 'brand' | 'texts'>, signatures: readonly SignatureFormat[]): Html {
  const { verifyBody, verifying, verifyHeaders, hmacKey, receivingGuide } = call.texts.secrets
  if (!signatures.includes('standard')) {
    const hasHmac = signatures.some((format) => typeof format === 'object')
    return html`<div class="stack"><p>${verifyHeaders}${hasHmac && ` ${hmacKey}`}</p>${signaturesInWords(signatures, call)}</div>`
  }
  const { brand } = call
  const guide = brand?.receiving?.guide
  const ours =
    brand === undefined ? snippets : snippets.map((each) => (each.name === STANDARD_NODE.name ? STANDARD_NODE : each))
  return html`
    <div class="stack">
      <p>${verifyBody(html`<code>WEBHOOK_SECRET</code>`)}</p>
      ${codeTabs(call, { id: 'verification', label: verifying, snippets: brand?.receiving?.snippets ?? ours })}
      ${guide !== undefined && html`<p><a href=${guide}>${receivingGuide}</a></p>`}
    </div>`
}
