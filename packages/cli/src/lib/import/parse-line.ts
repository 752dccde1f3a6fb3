import type { Account, ImportItem, ImportKeyInput, Issue } from '@callboard/core'
import type { Line } from './read-lines.ts'

const KINDS = ['account', 'key', 'subscription'] as const

/** A line of an import file. Callboard checks the fields of `value`, except for times, which JSON does not have. */
export type Parsed = { readonly line: number } & (
  | { readonly kind: 'account'; readonly value: Account }
  | { readonly kind: 'key'; readonly value: ImportKeyInput }
  | { readonly kind: 'subscription'; readonly value: ImportItem }
)

/** Reads a line, or returns why it cannot be read. No issue contains text of the line, which has secrets. */
export function parseLine({ number: line, text }: Line): Parsed | readonly Issue[] {
  if (text === undefined) return [issue('', 'The line is longer than 128 KiB. Write one JSON object a line.')]
  const issues: Issue[] = []
  let object: Fields | null
  try {
    object = JSON.parse(text, (name, value: unknown) => {
      if (!TIMES.includes(name) || value === null) return value
      const time = readTime(value)
      if (time === undefined) issues.push(issue(name, `${name} must be a time such as 2026-10-01T12:00:00Z.`))
      return time
    })
  } catch {
    return [issue('', 'The line is not JSON in UTF-8. Write one JSON object a line.')]
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    return [issue('', 'The line is not a JSON object.')]
  const { kind: given, ...value } = object
  const kind = KINDS.find((each) => each === given)
  if (kind === undefined) return [issue('kind', `kind must be one of: ${KINDS.join(', ')}.`)]
  return issues.length > 0 ? issues : { line, kind, value }
}

/** What a line is taken for, until Callboard has checked the fields of its kind. */
type Fields = { readonly kind?: unknown } & Account & ImportKeyInput & ImportItem

const TIMES = ['createdAt', 'expiresAt']
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

function readTime(text: unknown): Date | undefined {
  if (typeof text !== 'string' || !TIME.test(text)) return undefined
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? undefined : time
}

function issue(path: string, message: string): Issue {
  return { path, code: 'FORMAT', message }
}
