import { type Html, html } from '../html.ts'
import { icon } from './icon.ts'

export interface PageHeadOptions {
  /** The page above this one. */
  readonly up?: { readonly text: string; readonly href: string } | undefined
  /** Beside the title: a state. */
  readonly badge?: Html | undefined
  /** Under the title: one line. */
  readonly lead?: Html | undefined
  /** Buttons and forms, the most important one first. */
  readonly actions?: Html | undefined
}

/** The page's title, which is the `id="title"` that its section is named by. */
export function pageHead(title: Html, { up, badge, lead, actions }: PageHeadOptions = {}): Html {
  return html`
    <header class="page-head">
      <div class="page-title">
        ${up && html`<p class="up"><a href=${up.href}>${icon('back')}${up.text}</a></p>`}
        <div class="title-line"><h1 id="title">${title}</h1>${badge}</div>
        ${lead && html`<p class="lead">${lead}</p>`}
      </div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>`
}
