import { type Html, html } from '../html.ts'

export interface TimeOptions {
  /** `relative` (“3 minutes ago”, “in 4 minutes”) by default, or the day and the time, or both. */
  readonly as?: 'relative' | 'full' | 'both' | undefined
}

/** A moment: in UTC as it is sent, in the viewer's locale and zone once the script has seen it. */
export function time(date: Date, { as = 'relative' }: TimeOptions = {}): Html {
  const iso = date.toISOString()
  return html`<time datetime=${iso} data-time=${as}>${iso.slice(0, 19).replace('T', ' ')} UTC</time>`
}
