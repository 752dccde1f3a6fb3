import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import type { Tone } from './badge.ts'
import { type IconName, icon } from './icon.ts'
import { time } from './time.ts'

export interface TimelineEntry {
  /** The entry's stable id. A live refresh matches entries by it, so that open details stay open. */
  readonly id: string
  readonly tone: Tone
  readonly shape: IconName
  /** The entry's heading, such as “Attempt 3: 502 Bad Gateway”. */
  readonly title: Html
  readonly at?: Date | undefined
  /** Text beside the time, such as the duration. */
  readonly aside?: Html | undefined
  readonly body?: Html | undefined
}

/** A list of entries with their times, in the given order. */
export function timeline(call: Pick<Call, 'texts' | 'timeZone'>, entries: readonly TimelineEntry[]): Html {
  return html`
    <ol class="timeline">
      ${entries.map(
        ({ id, tone, shape, title, at, aside, body }) => html`
          <li id=${`entry-${id}`}>
            <span class=${`dot dot-${tone}`}>${icon(shape)}</span>
            <div class="timeline-text">
              <p class="timeline-title">${title}</p>
              ${(at || aside) && html`<p class="timeline-aside">${at && time(call, at, { as: 'both' })}${aside && html`<span>${aside}</span>`}</p>`}
              ${body && html`<div class="timeline-body">${body}</div>`}
            </div>
          </li>`,
      )}
    </ol>`
}
