import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { number } from './number.ts'
import { time } from './time.ts'

export interface StepProgress {
  /** The start and the end of the time range to resend, and the time that resending has reached. */
  readonly from: Date
  readonly until: Date
  readonly reachedAt: Date | undefined
  /** Deliveries resent so far. */
  readonly resent: number
}

/**
 * Shows how far resending a time range has progressed, on the page that viewers without the script see between two
 * steps. If the script runs, it shows the progress in the form instead.
 */
export function stepProgress(call: Call, { from, until, reachedAt, resent }: StepProgress): Html {
  const whole = Math.max(1, until.getTime() - from.getTime())
  const done = reachedAt === undefined ? 0 : Math.min(whole, Math.max(0, reachedAt.getTime() - from.getTime()))
  return html`
    <div class="steps">
      <progress max="100" value=${Math.round((done / whole) * 100)} aria-label="Progress"></progress>
      <p>${number(call, resent)} resent${reachedAt && html`<span>, up to ${time(reachedAt, { as: 'full' })}</span>`}</p>
    </div>`
}
