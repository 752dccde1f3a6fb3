import { CallboardError } from './errors.ts'
import type { Issue } from './issue.ts'

/** `VALIDATION_FAILED` with its issues; the message is that of the first, unless another one is given. */
export function validationFailed(issues: Issue | readonly Issue[], message?: string): CallboardError {
  const list: readonly Issue[] = Array.isArray(issues) ? issues : [issues]
  return new CallboardError('VALIDATION_FAILED', message ?? list[0]?.message ?? 'The input is not valid.', {
    issues: list,
  })
}

/** What is wrong with a value that is to be one of a list; undefined when it is one. */
export function choiceIssue(path: string, value: unknown, choices: readonly unknown[]): Issue | undefined {
  if (choices.includes(value)) return undefined
  return { path, code: 'UNKNOWN', message: `${path} must be one of ${choices.join(', ')}.` }
}

/**
 * Lets a value through that is one of a list.
 *
 * @throws CallboardError `VALIDATION_FAILED` with one issue that names the field.
 */
export function assertChoice(path: string, value: unknown, choices: readonly unknown[]): void {
  const issue = choiceIssue(path, value, choices)
  if (issue !== undefined) throw validationFailed(issue)
}

/** @throws CallboardError `VALIDATION_FAILED` for a `Date` that is no time. */
export function assertDate(path: string, date: Date): void {
  if (Number.isNaN(date.getTime()))
    throw validationFailed({ path, code: 'FORMAT', message: `${path} must be a valid date.` })
}
