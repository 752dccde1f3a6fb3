import { CallboardError } from '../errors.ts'
import type { Issue } from './issue.ts'

/** Creates a `VALIDATION_FAILED` error. Its message is `message`, or by default the message of the first issue. */
export function validationFailed(issues: Issue | readonly Issue[], message?: string): CallboardError {
  const list: readonly Issue[] = Array.isArray(issues) ? issues : [issues]
  return new CallboardError('VALIDATION_FAILED', message ?? list[0]?.message ?? 'The input is not valid.', {
    issues: list,
  })
}

/** The problem with a value that must be one of `choices`; undefined when it is one of them. */
export function choiceIssue(path: string, value: unknown, choices: readonly unknown[]): Issue | undefined {
  if (choices.includes(value)) return undefined
  return { path, code: 'UNKNOWN', message: `${path} must be one of ${choices.join(', ')}.` }
}

/**
 * Checks that a value is one of `choices`.
 *
 * @throws CallboardError `VALIDATION_FAILED` with one issue that names the field.
 */
export function assertChoice(path: string, value: unknown, choices: readonly unknown[]): void {
  const issue = choiceIssue(path, value, choices)
  if (issue !== undefined) throw validationFailed(issue)
}

const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z')
/** The end of the year 9999. ISO 8601 writes later years in a form that Postgres cannot parse. */
export const LAST_TIME: number = Date.parse('9999-12-31T23:59:59.999Z')

/** Whether a value is a date that every store can hold: a valid `Date` in the years 1 to 9999, in UTC. */
export function isStorableDate(date: unknown): date is Date {
  return date instanceof Date && date.getTime() >= FIRST_TIME && date.getTime() <= LAST_TIME
}

/** The problem with a value that must be a date; undefined if {@link isStorableDate} accepts it. */
export function dateIssue(path: string, date: unknown): Issue | undefined {
  if (isStorableDate(date)) return undefined
  return { path, code: 'FORMAT', message: `${path} must be a valid Date in the years 1 to 9999 (UTC).` }
}

/** Like {@link dateIssue}, but the date must also not be later than `now`. */
export function pastIssue(path: string, date: unknown, now: number): Issue | undefined {
  if (!isStorableDate(date) || date.getTime() <= now) return dateIssue(path, date)
  return { path, code: 'RANGE', message: `${path} must not be in the future.` }
}

/** @throws CallboardError `VALIDATION_FAILED` for a value that {@link isStorableDate} refuses. */
export function assertDate(path: string, date: unknown): void {
  const issue = dateIssue(path, date)
  if (issue !== undefined) throw validationFailed(issue)
}
