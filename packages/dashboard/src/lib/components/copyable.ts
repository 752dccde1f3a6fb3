import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { visibleText } from './visible-text.ts'

/**
 * An id or URL, with a copy button if the script runs. `what` completes the accessible name of the button: “Copy
 * subscription ID”.
 */
export function copyable(call: Pick<Call, 'texts'>, text: string, what: string): Html {
  return html`<span class="copyable"><code>${visibleText(text)}</code>${copyButton(call, text, what)}</span>`
}

export function copyButton({ texts: { common } }: Pick<Call, 'texts'>, text: string, what: string): Html {
  return html`<button class="copy needs-script" type="button" data-copy=${text} aria-label=${common.copyWhat(what)}>${common.copy}</button>`
}
