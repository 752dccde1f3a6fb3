import { type Html, html } from '../html.ts'

/** What is said where there is nothing to show, and what to do next. */
export function emptyState(title: string, next: Html, action?: Html): Html {
  return html`
    <div class="empty">
      <h2>${title}</h2>
      <p>${next}</p>
      ${action}
    </div>`
}
