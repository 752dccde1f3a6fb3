import { isStorableDate } from '@callboard/core/engine'
import { InvalidArgumentError } from 'commander'

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/

/** Parses `90s`, `30m`, `24h` or `7d` into milliseconds. */
export function parseDuration(text: string): number {
  const duration = durationOf(text)
  if (duration === undefined) throw new InvalidArgumentError('Expected a duration such as 90s, 30m, 24h or 7d.')
  return duration
}

/** Parses a date, or a duration such as `24h`, which means that long ago. */
export function parsePast(text: string): Date {
  return timeOf(text, -1)
}

/** Parses a date, or a duration such as `24h`, which means that long from now. */
export function parseFuture(text: string): Date {
  return timeOf(text, 1)
}

/** Parses a count of 1 or more. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 1 or more.')
  return Number(text)
}

function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? Number.NaN)
}

function timeOf(text: string, direction: 1 | -1): Date {
  const duration = durationOf(text)
  const time = duration === undefined ? dateOf(text) : new Date(Date.now() + direction * duration)
  if (!isStorableDate(time))
    throw new InvalidArgumentError('Expected a time such as 2026-11-22, 2026-11-22T08:30:00Z or 24h.')
  return time
}

function dateOf(text: string): Date | undefined {
  const [whole, zone] = ISO.exec(text) ?? []
  if (whole === undefined || !isDay(whole.slice(0, 10))) return undefined
  // Reads a time without a zone as UTC, because local time differs between machines. `Date` already reads a date
  // without a time as UTC.
  return new Date(zone === undefined && whole.includes('T') ? `${whole}Z` : whole)
}

/** Whether the date exists: `Date` reads the 30th of February as the 2nd of March. */
function isDay(date: string): boolean {
  const time = new Date(date)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date)
}
