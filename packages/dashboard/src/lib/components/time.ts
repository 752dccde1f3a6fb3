import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { keepFormats } from './keep-formats.ts'

const dateTimes = keepFormats(
  (language, timeZone) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone }),
)
const clockTimes = keepFormats(
  (language, timeZone) => new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone }),
)
const hours = keepFormats(
  (language, timeZone) =>
    new Intl.DateTimeFormat(language, { weekday: 'short', hour: '2-digit', minute: '2-digit', timeZone }),
)
const days = keepFormats(
  (language, timeZone) =>
    new Intl.DateTimeFormat(language, { weekday: 'short', day: 'numeric', month: 'short', timeZone }),
)

const datesOfYear = keepFormats(
  (language, timeZone) => new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone }),
)

export interface TimeOptions {
  /** `relative` (“3 minutes ago”), `full` (date and time) or `both`; `relative` by default. */
  readonly as?: 'relative' | 'full' | 'both' | undefined
}

/**
 * A date and time in the page's language and zone. For `relative`, the dashboard's script replaces this text with
 * “3 minutes ago”, or only drops the seconds if the time is more than a week away. For `both`, the script adds
 * “3 minutes ago”.
 */
export function time(call: Pick<Call, 'texts' | 'timeZone'>, date: Date, { as = 'relative' }: TimeOptions = {}): Html {
  return html`<time datetime=${date.toISOString()} data-time=${as}>${dateTime(call, date)}</time>`
}

/** The date and time in the page's language and zone. */
export function dateTime({ texts, timeZone }: Pick<Call, 'texts' | 'timeZone'>, date: Date): string {
  return dateTimes(texts.language, timeZone).format(date)
}

/** The time of day in the page's language and zone. */
export function clockTime({ texts, timeZone }: Pick<Call, 'texts' | 'timeZone'>, date: Date): string {
  return clockTimes(texts.language, timeZone).format(date)
}

/** The start of an hour in the page's language and zone, such as “Tue, 10:00 AM”. */
export function weekdayHour({ texts, timeZone }: Pick<Call, 'texts' | 'timeZone'>, at: Date): string {
  return hours(texts.language, timeZone).format(at)
}

/** A day in the page's language, such as “Tue, Oct 6”. Days are counted in UTC. */
export function weekday({ texts }: Pick<Call, 'texts'>, at: Date): string {
  return days(texts.language, 'UTC').format(at)
}

/** A day in the page's language without its weekday, such as “Oct 6”. Days are counted in UTC. */
export function monthDay({ texts }: Pick<Call, 'texts'>, at: Date): string {
  return datesOfYear(texts.language, 'UTC').format(at)
}
