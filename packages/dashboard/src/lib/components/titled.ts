import type { EventType } from '@callboard/core'
import { type Html, html } from '../html.ts'

/** The name of an event type, after the title that the platform has given it. */
export function titled(name: string, type: EventType | undefined): Html {
  const code = html`<code>${name}</code>`
  return type?.title === undefined ? code : html`<span>${type.title} ${code}</span>`
}
