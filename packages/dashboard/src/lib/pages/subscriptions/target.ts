import { type Html, html } from '../../html.ts'

/** A target's host, and where there muted: strangers' text, so nothing in it turns the reading direction around. */
export function target(targetUrl: string): Html {
  const { host, pathname, search } = new URL(targetUrl)
  const rest = pathname + search
  return html`<bdi class="target">${host}${rest === '/' ? undefined : html`<span class="muted">${rest}</span>`}</bdi>`
}
