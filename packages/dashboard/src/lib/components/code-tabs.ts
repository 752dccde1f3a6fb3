import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import type { Snippet } from '../snippet.ts'
import { copyButton } from './copyable.ts'

export interface CodeTabsOptions {
  /** Unique on the page. */
  readonly id: string
  /** The accessible name of the tabs. */
  readonly label: string
  readonly snippets: readonly Snippet[]
}

/** Tabs with the same code in several languages. They need no script and work with the arrow keys. */
export function codeTabs(call: Pick<Call, 'texts'>, { id, label, snippets }: CodeTabsOptions): Html {
  return html`
    <fieldset class="code-tabs">
      <legend class="unseen">${label}</legend>
      ${snippets.map(({ name, code }, index) => [
        html`<input type="radio" class="unseen" name=${id} id=${`${id}-${index}`} checked=${index === 0} />`,
        html`<label for=${`${id}-${index}`}>${name}</label>`,
        html`<div class="code-tab"><pre tabindex="0" role="region" aria-label=${`${label}: ${name}`}><code>${code}</code></pre>${copyButton(call, code, call.texts.secrets.codeIn(name))}</div>`,
      ])}
    </fieldset>`
}
