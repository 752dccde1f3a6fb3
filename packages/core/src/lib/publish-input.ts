import type { Catalog, EventData, EventTypeName } from './catalog.ts'
import type { Issue } from './errors.ts'
import { isId } from './id.ts'
import { MODES, type Mode } from './mode.ts'
import type { Subject } from './ports/event-store.ts'
import { textProblem } from './text-rules.ts'

const TEXT = { min: 1, max: 255, maxBytes: 512 } as const
const MAX_AHEAD_MS = 5 * 60_000

/** An event that the platform publishes. `data` has the type that the catalogue gives to `type`. */
export interface PublishInput<C extends Catalog, T extends EventTypeName<C>> {
  /** Id of the account that owns the event. */
  readonly account: string
  readonly type: T
  /** What the event is about; `sequence` is the next of its own counter unless the publisher has one. */
  readonly subject: Subject & { readonly sequence?: number | undefined }
  readonly data: EventData<C, T>
  /** `live` by default. */
  readonly mode?: Mode | undefined
  /** Now by default; at most 5 minutes ahead. */
  readonly occurredAt?: Date | undefined
  readonly correlationId?: string | undefined
  /** The publisher's own id for the event, in the form of `createId('evt')`. One of `id` and `idempotencyKey` at most. */
  readonly id?: string | undefined
  /** Publishing again under the same key stores and delivers nothing twice. 1–255 characters, per account and mode. */
  readonly idempotencyKey?: string | undefined
}

/** The input of `publish`, as a union over the catalogue's types. */
export type AnyPublishInput<C extends Catalog> = { [T in EventTypeName<C>]: PublishInput<C, T> }[EventTypeName<C>]

/** What is wrong with an input, its `data` left out: that is for the type's schema to say. */
export function inputIssues(input: AnyPublishInput<Catalog>, now: number): Issue[] {
  const issues: Issue[] = []
  const text = (path: string, value: unknown): void => {
    const problem = textProblem(value, TEXT)
    if (problem !== undefined) issues.push({ path, message: `${path} ${problem}` })
  }
  const { account, subject, mode, occurredAt, correlationId, id, idempotencyKey } = input
  text('account', account)
  text('subject.type', subject?.type)
  text('subject.id', subject?.id)
  if (correlationId !== undefined) text('correlationId', correlationId)
  if (idempotencyKey !== undefined) text('idempotencyKey', idempotencyKey)
  const sequence = subject?.sequence
  if (sequence !== undefined && !(Number.isSafeInteger(sequence) && sequence >= 0))
    issues.push({ path: 'subject.sequence', message: 'subject.sequence must be a whole number, 0 or more.' })
  if (mode !== undefined && !MODES.includes(mode)) issues.push({ path: 'mode', message: 'mode must be live or test.' })
  if (
    occurredAt !== undefined &&
    !(occurredAt instanceof Date && occurredAt.getTime() <= now + MAX_AHEAD_MS && occurredAt.getTime() >= 0)
  ) {
    issues.push({
      path: 'occurredAt',
      message: 'occurredAt must be a Date, not before 1970 and at most 5 minutes ahead.',
    })
  }
  if (id !== undefined && !(typeof id === 'string' && isId('evt', id)))
    issues.push({ path: 'id', message: "id must be one that createId('evt') makes." })
  if (id !== undefined && idempotencyKey !== undefined)
    issues.push({ path: 'idempotencyKey', message: 'Give id or idempotencyKey, not both.' })
  return issues
}
