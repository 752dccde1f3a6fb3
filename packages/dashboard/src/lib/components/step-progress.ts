import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { number } from './number.ts'
import { time } from './time.ts'

export interface StepProgress {
  /** The range that is gone through, and how far it is. */
  readonly from: Date
  readonly until: Date
  readonly reachedAt: Date | undefined
  /** How many were sent again so far. */
  readonly resent: number
}

/** How far sending a range again is, on the page between two steps; `form[data-steps]` shows the same without leaving the page. */
export function stepProgress(call: Call, { from, until, reachedAt, resent }: StepProgress): Html {
  const whole = Math.max(1, until.getTime() - from.getTime())
  const done = reachedAt === undefined ? 0 : Math.min(whole, Math.max(0, reachedAt.getTime() - from.getTime()))
  return html`
    <div class="steps">
      <progress max="100" value=${Math.round((done / whole) * 100)} aria-label="How far it is"></progress>
      <p>${number(call, resent)} sent again${reachedAt && html`<span>, up to ${time(reachedAt, { as: 'full' })}</span>`}</p>
    </div>`
}
