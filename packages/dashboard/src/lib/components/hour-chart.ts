import type { ActivityRange } from '@callboard/core/store'
import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import type { Count } from '../texts/count.ts'
import { count, number } from './number.ts'
import { time, weekday, weekdayHour } from './time.ts'

/** The attempts of one hour or day. */
export interface Hour {
  /** The start of the hour, or of the day in UTC. */
  readonly at: Date
  readonly delivered: number
  readonly failed: number
}

const STEP = 20
const BAR = 14
const HEIGHT = 100

/**
 * A chart of succeeded and failed attempts, oldest first, with a bar for each hour of a day or each day of a week.
 * Screen readers get a table instead.
 */
export function hourChart(
  call: Pick<Call, 'texts' | 'timeZone'>,
  hours: readonly Hour[],
  range: ActivityRange = 'day',
): Html {
  const { chart } = call.texts.subscriptions
  const most = mostIn(hours)
  const byDay = range === 'week'
  const [first] = hours
  const words = byDay
    ? { none: chart.noAttemptsInWeek, peak: chart.peakDay, caption: chart.captionByDay, head: chart.dayName }
    : { none: chart.noAttempts, peak: chart.peak, caption: chart.caption, head: chart.hour }
  const nameOf = byDay ? weekday : weekdayHour
  return html`
    <figure class="hour-chart">
      <figcaption class="legend">
        <span class="key key-delivered">${chart.succeeded}</span><span class="key key-failed">${chart.failed}</span>
        <span class="most">${most === 0 ? words.none : words.peak(count(call, most))}</span>
      </figcaption>
      <svg class="bars" viewBox=${`0 0 ${hours.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        ${hours.map((hour, index) => bars(call, hour, index, most, nameOf(call, hour.at)))}
      </svg>
      <p class="axis" aria-hidden="true"><span>${byDay && first ? day(call, first.at) : chart.dayAgo}</span><span>${byDay ? chart.today : chart.now}</span></p>
      <div class="unseen"><table>
        <caption>${words.caption}</caption>
        <thead><tr><th scope="col">${words.head}</th><th scope="col">${chart.succeeded}</th><th scope="col">${chart.failed}</th></tr></thead>
        <tbody>
          ${hours.map((hour) => html`<tr><th scope="row">${byDay ? day(call, hour.at) : time(call, hour.at, { as: 'full' })}</th><td>${number(call, hour.delivered)}</td><td>${number(call, hour.failed)}</td></tr>`)}
        </tbody>
      </table></div>
    </figure>`
}

/** A small {@link hourChart} without text, for a table row. Its accessible name contains the totals. */
export function sparkline(
  call: Pick<Call, 'texts' | 'timeZone'>,
  hours: readonly Hour[],
  label: (delivered: Count, failed: Count) => string = call.texts.subscriptions.chart.day,
): Html {
  const most = mostIn(hours)
  const [delivered, failed] = [sum(hours, 'delivered'), sum(hours, 'failed')]
  const heights = hours.map((hour) => ({ up: height(hour.delivered, most), down: height(hour.failed, most) }))
  return html`
    <svg class="sparkline" role="img" aria-label=${label(count(call, delivered), count(call, failed))} viewBox=${`0 0 ${hours.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" focusable="false">
      <path class="bar-none" d=${hours.map((_, index) => column(index, 2, 0)).join('')} />
      <path class="bar-delivered" d=${heights.map(({ up }, index) => column(index, up, 0)).join('')} />
      <path class="bar-failed" d=${heights.map(({ up, down }, index) => column(index, down, up)).join('')} />
    </svg>`
}

/** Small bars beside a number. Screen readers skip the bars, because the number is also shown as text. */
export function trend(values: readonly number[], look: 'delivered' | 'failed' | 'plain'): Html {
  const most = Math.max(0, ...values)
  return html`
    <svg class="trend" aria-hidden="true" focusable="false" viewBox=${`0 0 ${values.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
      <path class="bar-none" d=${values.map((_, index) => column(index, 2, 0)).join('')} />
      <path class=${`bar-${look}`} d=${values.map((value, index) => column(index, height(value, most), 0)).join('')} />
    </svg>`
}

/**
 * The path commands for one bar. All bars of one colour share a `<path>` element, because a list of subscriptions has
 * hundreds of bars.
 */
function column(index: number, high: number, above: number): string {
  return high === 0 ? '' : `M${index * STEP + (STEP - BAR) / 2} ${HEIGHT - above}v-${high}h${BAR}v${high}z`
}

function bars(
  call: Pick<Call, 'texts' | 'timeZone'>,
  { delivered, failed }: Hour,
  index: number,
  most: number,
  name: string,
): Html {
  const [up, down] = [height(delivered, most), height(failed, most)]
  const x = index * STEP + (STEP - BAR) / 2
  const text = call.texts.subscriptions.chart.bar(name, count(call, delivered), count(call, failed))
  return html`
    <g>
      <title>${text}</title>
      <rect class="bar-room" x=${index * STEP} y="0" width=${STEP} height=${HEIGHT} />
      ${most === 0 || up + down === 0 ? html`<rect class="bar-none" x=${x} y=${HEIGHT - 2} width=${BAR} height="2" />` : undefined}
      ${up > 0 && html`<rect class="bar-delivered" x=${x} y=${HEIGHT - up} width=${BAR} height=${up} />`}
      ${down > 0 && html`<rect class="bar-failed" x=${x} y=${HEIGHT - up - down} width=${BAR} height=${down} />`}
    </g>`
}

function day(call: Pick<Call, 'texts'>, at: Date): Html {
  return html`<time datetime=${at.toISOString().slice(0, 10)}>${weekday(call, at)}</time>`
}

/** The height of a bar. It is at least 4 units for any value above 0, so that the bar is visible. */
function height(value: number, most: number): number {
  return value === 0 ? 0 : Math.max(4, Math.round((value / most) * (HEIGHT - 4)))
}

function mostIn(hours: readonly Hour[]): number {
  return Math.max(0, ...hours.map(({ delivered, failed }) => delivered + failed))
}

function sum(hours: readonly Hour[], of: 'delivered' | 'failed'): number {
  return hours.reduce((total, hour) => total + hour[of], 0)
}
