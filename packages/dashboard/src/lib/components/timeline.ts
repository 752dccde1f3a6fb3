import { type Html, html } from '../html.ts'
import type { Tone } from './badge.ts'
import { type IconName, icon } from './icon.ts'
import { time } from './time.ts'

export interface TimelineEntry {
  /** Names the entry, so that live refresh knows it again when another one comes before it, and leaves open what is open in it. */
  readonly id: string
  readonly tone: Tone
  readonly shape: IconName
  /** What happened: “Attempt 3 failed: 500”. */
  readonly title: Html
  readonly at?: Date | undefined
  /** Beside the time: how long it took. */
  readonly aside?: Html | undefined
  readonly body?: Html | undefined
}

/** What happened to a thing, in its order. */
export function timeline(entries: readonly TimelineEntry[]): Html {
  return html`
    <ol class="timeline">
      ${entries.map(
        ({ id, tone, shape, title, at, aside, body }) => html`
          <li id=${`entry-${id}`}>
            <span class=${`dot dot-${tone}`}>${icon(shape)}</span>
            <div class="timeline-text">
              <p class="timeline-title">${title}</p>
              ${(at || aside) && html`<p class="timeline-aside">${at && time(at, { as: 'both' })}${aside && html`<span>${aside}</span>`}</p>`}
              ${body && html`<div class="timeline-body">${body}</div>`}
            </div>
          </li>`,
      )}
    </ol>`
}
