import * as z from 'zod'
import type { Issue } from './issue.ts'
import { isStorableDate } from './validation.ts'

const isoTime = z.iso.datetime({ offset: true })

/**
 * Reads an ISO 8601 time with its offset from UTC, such as `2026-11-20T12:00:00Z`; undefined for anything else. Digits
 * after the milliseconds are cut off.
 */
export function readIsoTime(text: string): Date | undefined {
  const time = isoTime.safeParse(text).success ? new Date(text) : undefined
  return isStorableDate(time) ? time : undefined
}

/** The issue for a value that {@link readIsoTime} does not read. */
export function isoTimeIssue(path: string): Issue {
  return { path, code: 'FORMAT', message: `${path} must be a time such as 2026-10-01T08:00:00Z.` }
}
