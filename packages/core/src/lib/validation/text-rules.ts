import type { Issue, IssueCode } from './issue.ts'
import { validationFailed } from './validation.ts'

/** The allowed length of a string in Unicode code points. Both bounds are inclusive. */
export interface TextRange {
  readonly min: number
  readonly max: number
  /**
   * Maximum size in UTF-8 bytes, for strings in a database key, because an index row can hold only 2,700 bytes.
   * Unbounded by default.
   */
  readonly maxBytes?: number | undefined
}

/** The Unicode categories Cc (NUL, C0, DEL, C1) and Cs. Under the `u` flag, only lone surrogates match Cs. */
const REFUSED = /[\p{Cc}\p{Cs}]/u

/**
 * The problem with a string that a caller sent; undefined when it is valid. Refuses control characters, including NUL,
 * and lone surrogates, so that they never reach a database.
 */
export function textIssue(path: string, value: unknown, { min, max, maxBytes }: TextRange): Issue | undefined {
  if (typeof value !== 'string') return issueOf(path, 'TYPE', 'be a string.')
  if (!hasLength(value, min, max)) return issueOf(path, 'LENGTH', `be ${min} to ${max} characters.`)
  if (REFUSED.test(value)) return issueOf(path, 'CHARACTERS', 'not contain control characters or broken Unicode.')
  if (maxBytes !== undefined && value.length * 3 > maxBytes && new TextEncoder().encode(value).length > maxBytes)
    return issueOf(path, 'LENGTH', `be at most ${maxBytes} bytes in UTF-8.`)
  return undefined
}

function issueOf(path: string, code: IssueCode, rule: string): Issue {
  return { path, code, message: `${path} must ${rule}` }
}

/**
 * Checks a string with {@link textIssue}.
 *
 * @throws CallboardError `VALIDATION_FAILED` with one issue that names the field.
 */
export function assertText(path: string, value: unknown, range: TextRange): asserts value is string {
  const issue = textIssue(path, value, range)
  if (issue !== undefined) throw validationFailed(issue)
}

const MAX_QUOTED = 60

/** Quotes an untrusted string for a message: escapes it and cuts it to 60 characters. */
export function quoted(text: string): string {
  const whole = JSON.stringify(text)
  return whole.length > MAX_QUOTED ? `${whole.slice(0, MAX_QUOTED - 2)}…"` : whole
}

function hasLength(value: string, min: number, max: number): boolean {
  // A code point is one or two code units, so most strings can be checked without counting their code points.
  if (value.length > max * 2) return false
  if (value.length <= max && value.length >= min * 2) return true
  let count = 0
  for (const _ of value) count++
  return count >= min && count <= max
}
