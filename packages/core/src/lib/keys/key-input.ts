import { assertAccountId } from '../accounts/accounts.ts'
import { MODES, type Mode } from '../accounts/mode.ts'
import { areRateLimits, RATE_LIMITS_RULE, type RateLimits } from '../admission/rate-limit.ts'
import { isId } from '../id.ts'
import type { NewKey } from '../ports/key-store.ts'
import type { Issue } from '../validation/issue.ts'
import { textIssue } from '../validation/text-rules.ts'
import { choiceIssue, dateIssue, validationFailed } from '../validation/validation.ts'
import { versionIssue } from '../versions/api-version.ts'
import type { Formats } from '../versions/formats.ts'
import type { ImportedToken } from './imported-key.ts'
import { isScope, SCOPES, type Scope } from './scopes.ts'

/** Length of a key's `name`, in code points. */
export const KEY_NAME_LENGTH = { min: 1, max: 100 } as const

export interface IssueKeyInput {
  readonly accountId: string
  /** A label for people, 1–100 characters. */
  readonly name: string
  readonly scopes: readonly Scope[]
  /** `live` by default. */
  readonly mode?: Mode | undefined
  /** When the key expires; never by default. */
  readonly expiresAt?: Date | undefined
  /**
   * An id that you created beforehand with `createId('key')`, so that a form posted twice issues only one key; a new id
   * by default. Never take the id from a customer.
   */
  readonly id?: string | undefined
  /** The key's own rate limits; the `rateLimits` of `createCallboard` by default. */
  readonly limits?: RateLimits | undefined
  /** The format version to pin the key to; the current version by default. */
  readonly apiVersion?: string | undefined
}

/** A key that customers already have. */
export interface ImportKeyInput extends IssueKeyInput, ImportedToken {}

/** The problem with the time at which a key is to expire. */
export function expiryIssue(expiresAt: Date | undefined, now: number): Issue | undefined {
  if (expiresAt === undefined) return undefined
  const issue = dateIssue('expiresAt', expiresAt)
  if (issue !== undefined || expiresAt.getTime() > now) return issue
  return { path: 'expiresAt', code: 'RANGE', message: 'expiresAt must be in the future.' }
}

/**
 * Reads what a new key has. `more` are the issues of other fields.
 *
 * @throws CallboardError `VALIDATION_FAILED` with one issue for each invalid field.
 */
export function readKeyInput(
  input: IssueKeyInput,
  formats: Formats,
  now: number,
  more: readonly (Issue | undefined)[] = [],
): Omit<NewKey, 'id' | 'tokenHash'> {
  const { accountId, name, scopes, mode = 'live', expiresAt, id, limits, apiVersion = formats.current } = input
  assertAccountId('accountId', accountId)
  const issues = [
    textIssue('name', name, KEY_NAME_LENGTH),
    Array.isArray(scopes) && scopes.every(isScope) ? undefined : UNKNOWN_SCOPE,
    choiceIssue('mode', mode, MODES),
    expiryIssue(expiresAt, now),
    id === undefined || isId('key', id) ? undefined : BAD_ID,
    limits === undefined || areRateLimits(limits) ? undefined : BAD_LIMITS,
    versionIssue(apiVersion, formats),
    ...more,
  ].filter((issue) => issue !== undefined)
  if (issues.length > 0) throw validationFailed(issues, issues.map(({ message }) => message).join(' '))
  return { accountId, mode, name, scopes: [...new Set(scopes)], limits, apiVersion, expiresAt }
}

const UNKNOWN_SCOPE: Issue = {
  path: 'scopes',
  code: 'UNKNOWN',
  message: `scopes must be an array that contains only ${SCOPES.join(', ')}.`,
}
const BAD_ID: Issue = { path: 'id', code: 'FORMAT', message: "id must come from createId('key')." }
const BAD_LIMITS: Issue = { path: 'limits', code: 'RANGE', message: `limits must be ${RATE_LIMITS_RULE}` }
