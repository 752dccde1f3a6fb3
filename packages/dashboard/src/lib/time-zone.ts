import { isStorableDate } from '@callboard/core/engine'

/** The cookie in which the dashboard's script keeps the browser's zone. It is used if the platform states no zone. */
const COOKIE = 'callboard-zone'
const YEAR_S = 31_536_000

/** The zone of a viewer: the one that the platform states, otherwise the browser's, otherwise UTC. */
export function timeZoneOf(stated: string | undefined, request: Request): string {
  const kept = new RegExp(`(?:^|; )${COOKIE}=([A-Za-z0-9_+/-]{1,50})`).exec(request.headers.get('cookie') ?? '')?.[1]
  return [stated, kept].find((zone) => zone !== undefined && isTimeZone(zone)) ?? 'UTC'
}

/** The cookie that the script sets. The script replaces `{zone}` with the browser's zone. */
export function zoneCookie(basePath: string): string {
  return `${COOKIE}={zone}; path=${basePath === '' ? '/' : basePath}; max-age=${YEAR_S}; samesite=lax`
}

export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}

/**
 * Reads the value of a `datetime-local` field, such as `2026-10-01T09:30`, as a time in a zone. Undefined if it is
 * malformed or outside the years 1 to 9999 in UTC. A time that the zone's clocks skip is read as if they did not; a
 * time that they show twice means the first of the two.
 */
export function zonedTime(local: string, timeZone: string): Date | undefined {
  const asUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(local) ? Date.parse(`${local}Z`) : Number.NaN
  if (Number.isNaN(asUtc)) return undefined
  // The offset depends on the result. Within a day of the result, a zone changes its offset at most once, so either
  // `before` or `after` is right.
  const [before, after] = [offsetMs(asUtc - DAY_MS, timeZone), offsetMs(asUtc + DAY_MS, timeZone)]
  const time = [asUtc - before, asUtc - after].find((candidate) => asUtc - candidate === offsetMs(candidate, timeZone))
  const date = new Date(time ?? asUtc - before)
  return isStorableDate(date) ? date : undefined
}

/** The value of a `datetime-local` field for a time in a zone, the inverse of {@link zonedTime}. */
export function localTime(time: Date, timeZone: string): string {
  return new Date(time.getTime() + offsetMs(time.getTime(), timeZone)).toISOString().slice(0, 16)
}

const DAY_MS = 86_400_000

/** How far a zone is ahead of UTC at a time. */
function offsetMs(time: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(time)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return (sign === '-' ? -60_000 : 60_000) * (Number(hours) * 60 + Number(minutes))
}
