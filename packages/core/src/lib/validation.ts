import { CallboardError } from './errors.ts'
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

/** @throws CallboardError `VALIDATION_FAILED` for an invalid `Date`. */
export function assertDate(path: string, date: Date): void {
  if (Number.isNaN(date.getTime()))
    throw validationFailed({ path, code: 'FORMAT', message: `${path} must be a valid date.` })
}
