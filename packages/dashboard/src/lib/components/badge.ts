import { type Html, html } from '../html.ts'
import { type IconName, icon } from './icon.ts'

/** How something stands, in colour and shape; the words beside it say the same. */
export type Tone = 'success' | 'warning' | 'danger' | 'accent' | 'neutral'

const SHAPES: Readonly<Record<Tone, IconName>> = {
  success: 'check',
  warning: 'alert',
  danger: 'cross',
  accent: 'retry',
  neutral: 'minus',
}

/** A state in one or two words; another `shape` than the tone's where it says more. */
export function badge(tone: Tone, text: Html, shape: IconName = SHAPES[tone]): Html {
  return html`<span class=${`badge badge-${tone}`}>${icon(shape)}${text}</span>`
}
