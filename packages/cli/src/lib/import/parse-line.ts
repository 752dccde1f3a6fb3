import type { Account, ImportItem, ImportKeyInput, Issue } from '@callboard/core'
import { unknownFields } from '@callboard/core/engine'
import type { Line } from './read-lines.ts'

/** The fields of a kind. Those of a subscription are checked by Callboard. */
const FIELDS = {
  account: { id: true, name: true } satisfies Record<keyof Account, true>,
  key: {
    ...{ accountId: true, name: true, scopes: true, mode: true, expiresAt: true, id: true, limits: true },
    ...{ apiVersion: true, sha256: true, createdAt: true },
  } satisfies Record<keyof ImportKeyInput, true>,
  subscription: undefined,
}

/** Refuses broken UTF-8, and ignores a byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true })

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
    object = JSON.parse(decoder.decode(text), (name, value: unknown) => {
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
  const fields = FIELDS[kind]
  const unknown = fields === undefined ? [] : Object.keys(value).filter((name) => !Object.hasOwn(fields, name))
  if (unknown.length > 0) issues.push(issue('', unknownFields('', unknown)))
  if (issues.length > 0) return issues
  return kind === 'key' ? { line, kind, value: withoutNulls(value) } : { line, kind, value }
}

/** What a line is taken for, until Callboard has checked the fields of its kind. */
type Fields = { readonly kind?: unknown } & Account & ImportKeyInput & ImportItem

/** For an optional field, null is the same as leaving it out, as in a subscription. */
function withoutNulls(key: ImportKeyInput): ImportKeyInput {
  return {
    ...key,
    id: key.id ?? undefined,
    limits: key.limits ?? undefined,
    expiresAt: key.expiresAt ?? undefined,
    createdAt: key.createdAt ?? undefined,
    apiVersion: key.apiVersion ?? undefined,
  }
}

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
