const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** Puts times into the viewer's locale and zone. */
export function showTimes(within: ParentNode): void {
  for (const element of within.querySelectorAll<HTMLTimeElement>('time[data-time]')) {
    const date = new Date(element.dateTime)
    const text = element.dataset['time'] === 'full' ? full.format(date) : ago(date)
    if (element.textContent !== text) element.textContent = text
    element.title = full.format(date)
  }
}

function ago(date: Date): string {
  const ms = date.getTime() - Date.now()
  const [unit, size] = UNITS.find(([, length]) => Math.abs(ms) >= length) ?? ['second', 1_000]
  return relative.format(Math.round(ms / size), unit)
}
