import { type Html, html } from '../html.ts'
import { type IconName, icon } from './icon.ts'

/** A state's colour and shape. The badge's text always names the state as well, for viewers who cannot see colours. */
export type Tone = 'success' | 'warning' | 'danger' | 'accent' | 'neutral'

const SHAPES: Readonly<Record<Tone, IconName>> = {
  success: 'check',
  warning: 'alert',
  danger: 'cross',
  accent: 'retry',
  neutral: 'minus',
}

/** A badge that shows a state in one or two words. `shape` replaces the tone's default shape. */
export function badge(tone: Tone, text: Html, shape: IconName = SHAPES[tone]): Html {
  return html`<span class=${`badge badge-${tone}`}>${icon(shape)}${text}</span>`
}
