import type { Call } from '../call.ts'
import { isTimeZone, zonedTime } from '../time-zone.ts'

export interface AskedTimes {
  readonly from: Date | undefined
  readonly to: Date | undefined
}

/** Reads the filters `from` and `to` in the URL's query; undefined if one of them is malformed. */
export function askedTimes({ query, timeZone }: Pick<Call, 'query' | 'timeZone'>): AskedTimes | undefined {
  // The query also names the zone of its times, so that a link means the same times in every zone.
  const zone = query.get('zone') ?? timeZone
  if (!isTimeZone(zone)) return undefined
  const [from, to] = [query.get('from') || undefined, query.get('to') || undefined]
  const times = { from: from && zonedTime(from, zone), to: to && zonedTime(to, zone) }
  if ((from && times.from === undefined) || (to && times.to === undefined)) return undefined
  return { from: times.from || undefined, to: times.to || undefined }
}
