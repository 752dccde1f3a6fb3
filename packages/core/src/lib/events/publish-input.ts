import { accountNameIssue } from '../accounts/accounts.ts'
import { MODES, type Mode } from '../accounts/mode.ts'
import { isId } from '../id.ts'
import type { Subject } from '../ports/stored-event.ts'
import type { Issue } from '../validation/issue.ts'
import { textIssue } from '../validation/text-rules.ts'
import { choiceIssue } from '../validation/validation.ts'
import type { Catalog, EventData, EventTypeName } from './catalog.ts'

const TEXT = { min: 1, max: 255, maxBytes: 512 } as const
const MAX_AHEAD_MS = 5 * 60_000

/** An event to publish. The catalogue determines the type of `data` from `type`. */
export interface PublishInput<C extends Catalog, T extends EventTypeName<C>> {
  /** The account that owns the event. */
  readonly accountId: string
  /**
   * The account's name, to create the account if it does not exist, as `accounts.ensure` does. An existing account is
   * not renamed, and costs nothing. By default, publishing for an account that does not exist throws `ACCOUNT_UNKNOWN`.
   */
  readonly accountName?: string | undefined
  readonly type: T
  /**
   * The subject that the event is about. `sequence` is the event's number among the events of the subject. By default,
   * Callboard assigns the next number.
   */
  readonly subject: Subject & { readonly sequence?: number | undefined }
  readonly data: EventData<C, T>
  /** `live` by default. */
  readonly mode?: Mode | undefined
  /** When the event occurred; now by default, and at most 5 minutes in the future. */
  readonly occurredAt?: Date | undefined
  readonly correlationId?: string | undefined
  /**
   * An id that the publisher created with `createId('evt')`; a new one by default. Cannot be combined with
   * `idempotencyKey`.
   */
  readonly id?: string | undefined
  /**
   * Makes a retry safe: a second publish with the same key stores and delivers nothing. The key has 1–255 characters,
   * is unique per account and mode, and is remembered as long as the event is kept.
   */
  readonly idempotencyKey?: string | undefined
}

/** The input of `publish`, as a union over the catalogue's types. */
export type AnyPublishInput<C extends Catalog> = { [T in EventTypeName<C>]: PublishInput<C, T> }[EventTypeName<C>]

/** Returns what is wrong with an input, except with its `data`, which the type's schema checks. */
export function inputIssues(input: AnyPublishInput<Catalog>, now: number): Issue[] {
  const { accountId, accountName, subject, mode = 'live', occurredAt, correlationId, id, idempotencyKey } = input
  const issues: Issue[] = []
  const add = (issue: Issue | undefined): void => {
    if (issue !== undefined) issues.push(issue)
  }
  add(textIssue('accountId', accountId, TEXT))
  if (accountName !== undefined) add(accountNameIssue('accountName', accountName))
  add(textIssue('subject.type', subject?.type, TEXT))
  add(textIssue('subject.id', subject?.id, TEXT))
  if (correlationId !== undefined) add(textIssue('correlationId', correlationId, TEXT))
  if (idempotencyKey !== undefined) add(textIssue('idempotencyKey', idempotencyKey, TEXT))
  add(sequenceIssue(subject?.sequence))
  add(choiceIssue('mode', mode, MODES))
  add(timeIssue(occurredAt, now))
  add(idIssue(id))
  if (id !== undefined && idempotencyKey !== undefined) add(BOTH)
  return issues
}

const BOTH: Issue = { path: 'idempotencyKey', code: 'CONFLICT', message: 'Give id or idempotencyKey, not both.' }

function sequenceIssue(sequence: number | undefined): Issue | undefined {
  if (sequence === undefined || (Number.isSafeInteger(sequence) && sequence >= 0)) return undefined
  const message = 'subject.sequence must be a whole number, 0 or more.'
  return { path: 'subject.sequence', code: 'RANGE', message }
}

function timeIssue(time: unknown, now: number): Issue | undefined {
  if (time === undefined) return undefined
  if (time instanceof Date && time.getTime() <= now + MAX_AHEAD_MS && time.getTime() >= 0) return undefined
  const message = 'occurredAt must be a Date, not before 1970 and at most 5 minutes in the future.'
  return { path: 'occurredAt', code: 'RANGE', message }
}

function idIssue(id: unknown): Issue | undefined {
  if (id === undefined || (typeof id === 'string' && isId('evt', id))) return undefined
  return { path: 'id', code: 'FORMAT', message: "id must come from createId('evt')." }
}
