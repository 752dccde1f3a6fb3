import type { Subject } from '@callboard/core'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'

/** The type and the id of a subject. */
export function subjectText({ type, id }: Subject): Html {
  return html`<span>${visibleText(type)} ${visibleText(id)}</span>`
}
