import type { SignatureFormat } from '@callboard/core'
import type { Call } from '../../call.ts'
import { type Html, html } from '../../html.ts'

/** The headers that carry a subscription's signatures, and what each of them signs. */
export function signaturesInWords(signatures: readonly SignatureFormat[], { texts }: Pick<Call, 'texts'>): Html {
  return html`<div class="stack">${signatures.map((format) => html`<div>${inWords(format, texts)}</div>`)}</div>`
}

function inWords(format: SignatureFormat, { secrets }: Call['texts']): Html {
  if (format === 'standard') return html`<code>webhook-signature</code>`
  if (format === 'svix') return html`<code>svix-signature</code>`
  const { header, over, encoding, timestampHeader } = format
  return [
    secrets.hmac[over](html`<code>${header}</code>`, encoding),
    timestampHeader && [' ', secrets.timestampIn(html`<code>${timestampHeader}</code>`)],
  ]
}
