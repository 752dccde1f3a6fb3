import { type Html, html } from '../html.ts'
import type { Tone } from './badge.ts'
import { type IconName, icon } from './icon.ts'

const SHAPES: Readonly<Record<Tone, IconName>> = {
  success: 'check',
  warning: 'alert',
  danger: 'alert',
  accent: 'info',
  neutral: 'info',
}

export interface CalloutOptions {
  /** The problem, in one line. */
  readonly title: Html
  /** The cause, and what to do next. */
  readonly body?: Html | undefined
  readonly actions?: Html | undefined
  /** Whether the callout gets the focus when the page loads: true for the response to a form, and false by default. */
  readonly focus?: boolean | undefined
}

/** A message that the viewer should see before the rest of the page. */
export function callout(tone: Tone, { title, body, actions, focus = false }: CalloutOptions): Html {
  return html`
    <div class=${`callout callout-${tone}`} ...${focus ? { role: 'alert', tabindex: -1, autofocus: true } : {}}>
      ${icon(SHAPES[tone])}
      <div class="callout-text">
        <p class="callout-title">${title}</p>
        ${body && html`<div class="callout-body">${body}</div>`}
        ${actions && html`<div class="actions">${actions}</div>`}
      </div>
    </div>`
}
