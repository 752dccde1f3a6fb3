import { type Html, html } from '../html.ts'
import { copyButton } from './copyable.ts'

export interface Snippet {
  /** The language, as people call it. */
  readonly name: string
  readonly code: string
}

/** The same in several languages, one shown; chosen without any script, with the arrow keys too. */
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
