import { type Html, html } from '../html.ts'
import { copyButton } from './copyable.ts'

export interface Snippet {
  /** The display name of the language. */
  readonly name: string
  readonly code: string
}

/** Tabs with the same code in several languages. They need no script and work with the arrow keys. */
export function codeTabs(id: string, label: string, snippets: readonly Snippet[]): Html {
  return html`
    <fieldset class="code-tabs">
      <legend class="unseen">${label}</legend>
      ${snippets.map(({ name, code }, index) => [
        html`<input type="radio" class="unseen" name=${id} id=${`${id}-${index}`} checked=${index === 0} />`,
        html`<label for=${`${id}-${index}`}>${name}</label>`,
        html`<div class="code-tab"><pre tabindex="0" role="region" aria-label=${`${label}: ${name}`}><code>${code}</code></pre>${copyButton(code, `the code in ${name}`)}</div>`,
      ])}
    </fieldset>`
}
