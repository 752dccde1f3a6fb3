import { type Html, html } from '../html.ts'

/** The name of an event type, after the title that the platform has given it. */
export function titled(name: string, title: string | undefined): Html {
  const code = html`<code>${name}</code>`
  return title === undefined ? code : html`<span>${title} ${code}</span>`
}
