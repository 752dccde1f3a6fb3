import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'

export interface TimeOptions {
  /** `relative` (“3 minutes ago”), `full` (date and time) or `both`; `relative` by default. */
  readonly as?: 'relative' | 'full' | 'both' | undefined
}

/** A time, as date and time in the page's language and zone. The script adds or shows how long ago it was. */
export function time(call: Pick<Call, 'texts' | 'timeZone'>, date: Date, { as = 'relative' }: TimeOptions = {}): Html {
  return html`<time datetime=${date.toISOString()} data-time=${as}>${dateTime(call, date)}</time>`
}

/** The date and time in the page's language and zone. */
export function dateTime({ texts, timeZone }: Pick<Call, 'texts' | 'timeZone'>, date: Date): string {
  return date.toLocaleString(texts.language, { dateStyle: 'medium', timeStyle: 'medium', timeZone })
}

/** The time of day in the page's language and zone. */
export function clockTime({ texts, timeZone }: Pick<Call, 'texts' | 'timeZone'>, date: Date): string {
  return date.toLocaleTimeString(texts.language, { timeStyle: 'short', timeZone })
}
