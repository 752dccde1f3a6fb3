import type { Issue } from '@callboard/core'
import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { fieldId } from './field.ts'
import { icon } from './icon.ts'

/**
 * Lists everything that is wrong with a form, with links to the fields. The list gets the focus when the page loads.
 */
export function errorSummary(
  { texts }: Pick<Call, 'texts'>,
  issues: readonly Issue[],
  title: string = texts.problems.summary,
): Html {
  if (issues.length === 0) return undefined
  return html`
    <div class="callout callout-danger" id="errors" role="alert" tabindex="-1" autofocus>
      ${icon('alert')}
      <div class="callout-text">
        <p class="callout-title">${title}</p>
        <ul>
          ${issues.map(({ path, message }) => {
            const name = path.split('.')[0]
            return html`<li>${name ? html`<a href=${`#${fieldId(name)}`}>${message}</a>` : message}</li>`
          })}
        </ul>
      </div>
    </div>`
}
