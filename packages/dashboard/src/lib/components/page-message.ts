import { type Html, html } from '../html.ts'

/** The whole content of a page that shows only a message: what happened, and what to do next. */
export function pageMessage(title: string, text: Html, action?: Html): Html {
  return html`
    <section class="problem" aria-labelledby="title">
      <h1 id="title">${title}</h1>
      <p>${text}</p>
      <p>${action}</p>
    </section>`
}
