import { type Html, html } from '../html.ts'
import { visibleText } from './visible-text.ts'

/**
 * An id or URL, with a copy button if the script runs. `what` completes the accessible name of the button: “Copy
 * subscription ID”.
 */
export function copyable(text: string, what: string): Html {
  return html`<span class="copyable"><code>${visibleText(text)}</code>${copyButton(text, what)}</span>`
}

export function copyButton(text: string, what: string): Html {
  return html`<button class="copy needs-script" type="button" data-copy=${text} aria-label=${`Copy ${what}`}>Copy</button>`
}
