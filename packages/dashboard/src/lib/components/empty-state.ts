import { type Html, html } from '../html.ts'

/** A message in place of an empty list, with what to do next. */
export function emptyState(title: string, next: Html, action?: Html): Html {
  return html`
    <div class="empty">
      <h2>${title}</h2>
      <p>${next}</p>
      ${action}
    </div>`
}
