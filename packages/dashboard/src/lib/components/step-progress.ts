import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { count } from './number.ts'
import { dateTime } from './time.ts'

export interface StepProgress {
  /** The start and the end of the time range to resend. */
  readonly from: Date
  readonly until: Date
  /** The time in the range that resending has reached; undefined if the last step examined no event. */
  readonly reachedAt: Date | undefined
  /** Deliveries resent so far. */
  readonly resent: number
}

/** The progress of resending a time range, for the page that viewers without JavaScript get after each step. */
export function stepProgress(call: Call, { from, until, reachedAt, resent }: StepProgress): Html {
  const { range } = call.texts.deliveries
  const whole = Math.max(1, until.getTime() - from.getTime())
  const done = reachedAt === undefined ? 0 : Math.min(whole, Math.max(0, reachedAt.getTime() - from.getTime()))
  const soFar = count(call, resent)
  return html`
    <div class="steps">
      <progress max="100" value=${Math.round((done / whole) * 100)} aria-label=${range.progress}></progress>
      <p>${reachedAt === undefined ? range.soFar(soFar) : range.soFarUpTo(soFar, dateTime(call, reachedAt))}</p>
    </div>`
}
