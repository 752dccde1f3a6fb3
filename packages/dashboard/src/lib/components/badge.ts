import { type Html, html } from '../html.ts'
import { type IconName, icon } from './icon.ts'

/** A state's colour and shape. The words beside them always say the same. */
export type Tone = 'success' | 'warning' | 'danger' | 'accent' | 'neutral'

const SHAPES: Readonly<Record<Tone, IconName>> = {
  success: 'check',
  warning: 'alert',
  danger: 'cross',
  accent: 'retry',
  neutral: 'minus',
}

/** A state in one or two words. `shape` replaces the tone's default shape. */
export function badge(tone: Tone, text: Html, shape: IconName = SHAPES[tone]): Html {
  return html`<span class=${`badge badge-${tone}`}>${icon(shape)}${text}</span>`
}
