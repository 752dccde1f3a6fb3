import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { number } from './number.ts'
import { time } from './time.ts'

/** What was tried in an hour. */
export interface Hour {
  /** Its start. */
  readonly at: Date
  readonly delivered: number
  readonly failed: number
}

const STEP = 20
const BAR = 14
const HEIGHT = 100

/** Delivered and failed by the hour, oldest first, as bars; as a table for screen readers. */
export function hourChart(call: Pick<Call, 'locale'>, hours: readonly Hour[]): Html {
  const most = mostIn(hours)
  return html`
    <figure class="hour-chart">
      <figcaption class="legend">
        <span class="key key-delivered">Delivered</span><span class="key key-failed">Failed</span>
        <span class="most">${most === 0 ? 'Nothing was sent in these 24 hours' : `Up to ${number(call, most)} an hour`}</span>
      </figcaption>
      <svg class="bars" viewBox=${`0 0 ${hours.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        ${hours.map((hour, index) => bars(call, hour, index, most))}
      </svg>
      <p class="axis" aria-hidden="true"><span>24 hours ago</span><span>now</span></p>
      <div class="unseen"><table>
        <caption>Attempts by the hour</caption>
        <thead><tr><th scope="col">Hour</th><th scope="col">Delivered</th><th scope="col">Failed</th></tr></thead>
        <tbody>
          ${hours.map((hour) => html`<tr><th scope="row">${time(hour.at, { as: 'full' })}</th><td>${number(call, hour.delivered)}</td><td>${number(call, hour.failed)}</td></tr>`)}
        </tbody>
      </table></div>
    </figure>`
}

/** The same without words, for a row of a table; its name says the sums. */
export function sparkline(call: Pick<Call, 'locale'>, hours: readonly Hour[]): Html {
  const most = mostIn(hours)
  const [delivered, failed] = [sum(hours, 'delivered'), sum(hours, 'failed')]
  const heights = hours.map((hour) => ({ up: height(hour.delivered, most), down: height(hour.failed, most) }))
  return html`
    <svg class="sparkline" role="img" aria-label=${`Last 24 hours: ${number(call, delivered)} delivered, ${number(call, failed)} failed`} viewBox=${`0 0 ${hours.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" focusable="false">
      <path class="bar-none" d=${hours.map((_, index) => column(index, 2, 0)).join('')} />
      <path class="bar-delivered" d=${heights.map(({ up }, index) => column(index, up, 0)).join('')} />
      <path class="bar-failed" d=${heights.map(({ up, down }, index) => column(index, down, up)).join('')} />
    </svg>`
}

/** A bar as a part of one path: a list has hundreds of them. */
function column(index: number, high: number, above: number): string {
  return high === 0 ? '' : `M${index * STEP + (STEP - BAR) / 2} ${HEIGHT - above}v-${high}h${BAR}v${high}z`
}

function bars(call: Pick<Call, 'locale'>, { at, delivered, failed }: Hour, index: number, most: number): Html {
  const [up, down] = [height(delivered, most), height(failed, most)]
  const x = index * STEP + (STEP - BAR) / 2
  const text = `${number(call, delivered)} delivered, ${number(call, failed)} failed`
  return html`
    <g>
      <title data-hour=${at.toISOString()} data-text=${text}>${`${at.toISOString().slice(11, 16)} UTC: ${text}`}</title>
      <rect class="bar-room" x=${index * STEP} y="0" width=${STEP} height=${HEIGHT} />
      ${most === 0 || up + down === 0 ? html`<rect class="bar-none" x=${x} y=${HEIGHT - 2} width=${BAR} height="2" />` : undefined}
      ${up > 0 && html`<rect class="bar-delivered" x=${x} y=${HEIGHT - up} width=${BAR} height=${up} />`}
      ${down > 0 && html`<rect class="bar-failed" x=${x} y=${HEIGHT - up - down} width=${BAR} height=${down} />`}
    </g>`
}

/** Anything that happened can be seen: at least a few units high. */
function height(value: number, most: number): number {
  return value === 0 ? 0 : Math.max(4, Math.round((value / most) * (HEIGHT - 4)))
}

function mostIn(hours: readonly Hour[]): number {
  return Math.max(0, ...hours.map(({ delivered, failed }) => delivered + failed))
}

function sum(hours: readonly Hour[], of: 'delivered' | 'failed'): number {
  return hours.reduce((total, hour) => total + hour[of], 0)
}
