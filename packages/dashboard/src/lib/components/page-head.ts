import { type Html, html } from '../html.ts'
import { icon } from './icon.ts'

export interface PageHeadOptions {
  /** The parent page. */
  readonly up?: { readonly text: Html; readonly href: string } | undefined
  /** A state, beside the title. */
  readonly badge?: Html | undefined
  /** One line below the title. */
  readonly lead?: Html | undefined
  /** Buttons and forms, most important first. */
  readonly actions?: Html | undefined
}

/** The header of a page. Its title has `id="title"`, which labels the page's section. */
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
