const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const hour = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const { locale, timeZone } = full.resolvedOptions()
const WEEK = 604_800_000
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** Shows times in the viewer's locale and time zone. */
export function showTimes(within: ParentNode): void {
  for (const element of within.querySelectorAll<HTMLTimeElement>('time[data-time]')) {
    const date = new Date(element.dateTime)
    const text = textOf(date, element.dataset['time'])
    if (element.textContent !== text) element.textContent = text
    if (element.title === '') {
      element.title = full.format(date)
      element.lang = locale
    }
  }
  for (const title of within.querySelectorAll<SVGTitleElement>('title[data-hour]')) {
    const { hour: at = '', text = '' } = title.dataset
    const words = `${hour.format(new Date(at))}: ${text}`
    if (title.textContent !== words) title.textContent = words
  }
}

/** Labels time fields with the viewer's time zone, which the server does not know. */
export function showZone(): void {
  for (const zone of document.querySelectorAll('[data-zone]')) zone.textContent = timeZone
}

/** The time of day in the viewer's zone, as in “Out of date since 14:05”. */
export function clockTime(date: Date): string {
  return date.toLocaleTimeString(undefined, { timeStyle: 'short' })
}

function textOf(date: Date, as: string | undefined): string {
  if (as === 'full') return full.format(date)
  const ms = date.getTime() - Date.now()
  if (as === 'both') return `${full.format(date)} (${ago(ms)})`
  return Math.abs(ms) > WEEK ? day.format(date) : ago(ms)
}

function ago(ms: number): string {
  const [unit, size] = UNITS.find(([, length]) => Math.abs(ms) >= length) ?? ['second', 1_000]
  return relative.format(Math.trunc(ms / size), unit)
}
