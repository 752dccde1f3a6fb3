import { type Html, html } from '../html.ts'

export interface TimeOptions {
  /** `relative` (“3 minutes ago”), `full` (date and time) or `both`; `relative` by default. */
  readonly as?: 'relative' | 'full' | 'both' | undefined
}

/** A time, sent in UTC. The script shows it in the viewer's locale and zone. */
export function time(date: Date, { as = 'relative' }: TimeOptions = {}): Html {
  const iso = date.toISOString()
  return html`<time datetime=${iso} data-time=${as}>${iso.slice(0, 19).replace('T', ' ')} UTC</time>`
}
