const { lang, dataset } = document.documentElement
const { zone: timeZone = 'UTC', zoneCookie } = dataset
const full = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'medium', timeZone })
const day = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short', timeZone })
const relative = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' })
const short = new Intl.RelativeTimeFormat(lang, { numeric: 'auto', style: 'short' })
const WEEK = 604_800_000
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** Shows each time as its `data-time` says, for example as “3 minutes ago”, in the page's language. */
export function showTimes(within: ParentNode): void {
  for (const element of within.querySelectorAll<HTMLTimeElement>('time[data-time]')) {
    const date = new Date(element.dateTime)
    const text = textOf(date, element.dataset['time'])
    if (element.textContent !== text) element.textContent = text
    if (element.title === '') element.title = `${full.format(date)} (${timeZone})`
  }
}

/**
 * If the page shows another zone than the browser's, tells the server the browser's zone in a cookie and loads the page
 * again. If cookies are blocked or the server does not know the zone, the page stays as it is.
 */
export function keepZone(): void {
  const { timeZone: own } = new Intl.DateTimeFormat().resolvedOptions()
  if (zoneCookie === undefined || own === timeZone) return
  const cookie = zoneCookie.replace('{zone}', own)
  const [kept = ''] = cookie.split(';')
  const isKept = (): boolean => document.cookie.split('; ').includes(kept)
  if (isKept()) return
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari have no CookieStore on pages without HTTPS.
  document.cookie = location.protocol === 'https:' ? `${cookie}; secure` : cookie
  if (isKept()) location.reload()
}

/** How long ago a refresh was: “3 sec. ago”. */
export function shortAgo(date: Date): string {
  return ago(Math.min(0, date.getTime() - Date.now()), short)
}

/** The time of day in the page's language and zone, as in “Out of date since 14:05”. */
export function clockTime(date: Date): string {
  return date.toLocaleTimeString(lang, { timeStyle: 'short', timeZone })
}

function textOf(date: Date, as: string | undefined): string {
  if (as === 'full') return full.format(date)
  const ms = date.getTime() - Date.now()
  if (as === 'both') return `${full.format(date)} (${ago(ms)})`
  return Math.abs(ms) > WEEK ? day.format(date) : ago(ms)
}

/** A time in the past is rounded down; one in the future to the nearest unit, because it says how long to wait. */
function ago(ms: number, format = relative): string {
  const [unit, size] = UNITS.find(([, length]) => Math.abs(ms) >= length) ?? ['second', 1_000]
  return format.format(ms < 0 ? Math.trunc(ms / size) : Math.round(ms / size), unit)
}
