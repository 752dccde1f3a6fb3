import { type Html, html } from '../html.ts'

export interface CardOptions {
  readonly title?: Html | undefined
  /** Links and buttons beside the title. */
  readonly actions?: Html | undefined
  /** Whether to omit the padding around the content, as for a table; false by default. */
  readonly flush?: boolean | undefined
}

/** A group of related content with its own heading. */
export function card({ title, actions, flush = false }: CardOptions, body: Html): Html {
  return html`
    <section class=${flush ? 'card card-flush' : 'card'}>
      ${(title || actions) && html`<header class="card-head">${title && html`<h2>${title}</h2>`}${actions && html`<div class="actions">${actions}</div>`}</header>`}
      <div class="card-body">${body}</div>
    </section>`
}
