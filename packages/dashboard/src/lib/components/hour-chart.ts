import { type HistoryRange, PERIODS } from '@callboard/core/store'
import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { count, number } from './number.ts'
import { clockTime, monthDay, weekday, weekdayHour } from './time.ts'

/** The attempts of one minute, hour or day. */
export interface Hour {
  /** The start of the minute or hour, or of the day in UTC. */
  readonly at: Date
  readonly delivered: number
  readonly failed: number
}

const STEP = 20
const BAR = 14
const HEIGHT = 100
/** How many times the axis names. */
const LABELS = 4
/** How each range names a time on its axis, and beside the value of a bar. */
const NAMES = {
  hour: [clockTime, clockTime],
  day: [clockTime, weekdayHour],
  week: [weekday, weekday],
  month: [monthDay, weekday],
} as const
const ROUND = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]

export interface HourChartOptions {
  /** `day` by default. */
  readonly range?: HistoryRange | undefined
  /** The list to which a bar leads, which takes `from` and `to`. By default, no bar leads anywhere. */
  readonly path?: string | undefined
}

/**
 * A chart of succeeded and failed attempts, oldest first, with a bar for each minute of an hour, each hour of a day, or
 * each day of a week or month. A bar with attempts shows its numbers on hover and focus.
 */
export function hourChart(
  call: Pick<Call, 'texts' | 'timeZone' | 'href'>,
  hours: readonly Hour[],
  { range = 'day', path }: HourChartOptions = {},
): Html {
  const { chart } = call.texts.subscriptions
  const most = mostIn(hours)
  const top = roundTop(most)
  const words = { hour: chart.byMinute, day: chart.byHour, week: chart.byDay, month: chart.byDay }[range]
  const [labelOf, nameOf] = NAMES[range]
  const every = Math.max(1, Math.floor(hours.length / (LABELS - 1)))
  const label = (at: Date, index: number): Html => {
    if (index === hours.length - 1) return words.last
    return index % every === 0 && html`<time datetime=${at.toISOString()}>${labelOf(call, at)}</time>`
  }
  return html`
    <figure class="hour-chart">
      <figcaption class="legend">
        <span class="key key-delivered">${chart.succeeded}</span><span class="key key-failed">${chart.failed}</span>
        <span class="most">${most === 0 ? chart.none[range] : words.peak(count(call, most))}</span>
      </figcaption>
      <div class="plot">
        <p class="axis-y" aria-hidden="true">${most > 0 && [top, top / 2, 0].map((value) => html`<span>${number(call, value)}</span>`)}</p>
        <ul class="bars" aria-label=${words.caption}>
          ${hours.map((hour) => html`<li>${bar(call, hour, { top, path, name: nameOf(call, hour.at), until: new Date(hour.at.getTime() + PERIODS[range].ms) })}</li>`)}
        </ul>
        <p class="axis-x" aria-hidden="true">${hours.map(({ at }, index) => html`<span>${label(at, index)}</span>`)}</p>
      </div>
    </figure>`
}

/** A small {@link hourChart} without text, for a table row. Its accessible name contains the totals. */
export function sparkline(
  call: Pick<Call, 'texts' | 'timeZone'>,
  hours: readonly Hour[],
  range: HistoryRange = 'day',
): Html {
  const label = call.texts.subscriptions.chart.totals[range]
  const most = mostIn(hours)
  const [delivered, failed] = [sum(hours, 'delivered'), sum(hours, 'failed')]
  const heights = hours.map((hour) => stacked(hour, most))
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

interface Bar {
  /** The value at the top of the chart. */
  readonly top: number
  /** The minute, hour or day, in words. */
  readonly name: string
  /** The end of the minute, hour or day. */
  readonly until: Date
  readonly path: string | undefined
}

function bar(call: Pick<Call, 'texts' | 'href'>, hour: Hour, { top, name, until, path }: Bar): Html {
  const { at, delivered, failed } = hour
  const { up, down } = stacked(hour, top)
  const x = (STEP - BAR) / 2
  const none = delivered + failed === 0
  const content = [
    html`<svg viewBox=${`0 0 ${STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      ${none && html`<rect class="bar-none" x=${x} y=${HEIGHT - 2} width=${BAR} height="2" />`}
      ${up > 0 && html`<rect class="bar-delivered" x=${x} y=${HEIGHT - up} width=${BAR} height=${up} />`}
      ${down > 0 && html`<rect class="bar-failed" x=${x} y=${HEIGHT - up - down} width=${BAR} height=${down} />`}
    </svg>`,
    html`<span class="bar-value">${call.texts.subscriptions.chart.bar(name, count(call, delivered), count(call, failed))}</span>`,
  ]
  if (none || path === undefined) return html`<span class="bar" tabindex=${none ? undefined : '0'}>${content}</span>`
  // In UTC, because where clocks are set back, the same local hour comes twice.
  const utc = (time: Date): string => time.toISOString().slice(0, 16)
  return html`<a class="bar" href=${call.href(path, { from: utc(at), to: utc(until), zone: 'UTC' })}>${content}</a>`
}

/** The heights of the two parts of a bar. A part for few attempts is never hidden by the other. */
function stacked({ delivered, failed }: Hour, top: number): { readonly up: number; readonly down: number } {
  const down = height(failed, top)
  return { up: Math.min(height(delivered, top), HEIGHT - down), down }
}

/** The height of a bar. It is at least 4 units for any value above 0, so that the bar is visible. */
function height(value: number, top: number): number {
  return value === 0 ? 0 : Math.max(4, Math.round((value / top) * HEIGHT))
}

/** The value at the top of a chart: twice a round number, so that half of it is a whole number that is easy to read. */
function roundTop(most: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(most / 2)))
  return 2 * unit * (ROUND.find((each) => Number.isInteger(each * unit) && each * unit >= most / 2) ?? 10)
}

function mostIn(hours: readonly Hour[]): number {
  return Math.max(0, ...hours.map(({ delivered, failed }) => delivered + failed))
}

function sum(hours: readonly Hour[], of: 'delivered' | 'failed'): number {
  return hours.reduce((total, hour) => total + hour[of], 0)
}
