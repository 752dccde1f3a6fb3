import { unknownAccount } from './accounts.ts'
import type { Catalog, EventData, EventTypeName } from './catalog.ts'
import { envelopeParts } from './envelope.ts'
import { CallboardError, type Issue } from './errors.ts'
import { createId, isId } from './id.ts'
import type { KeyRing } from './key-ring.ts'
import { MODES, type Mode } from './mode.ts'
import { valueAt } from './personal-paths.ts'
import type { EventDraft, EventStore, PublishOutcome, Subject } from './ports/event-store.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { quoted, textProblem } from './text-rules.ts'

const TEXT = { min: 1, max: 255 } as const
/** As long as the schema lets it be. */
const PERSON_TEXT = { min: 0, max: Number.POSITIVE_INFINITY } as const
const LARGE_BYTES = 20 * 1024
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

export interface PublishOptions<Tx> {
  /** The caller's own transaction: the event stands or falls with it. By default the event is committed by itself. */
  readonly tx?: Tx | undefined
}

export interface PublishedEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  readonly subject: Subject & { readonly sequence: number }
  /** True when an event of this id or idempotency key was there already; this is that one. */
  readonly repeated: boolean
}

export interface PublisherOptions<C extends Catalog, Tx> {
  readonly catalog: C
  readonly store: EventStore<Tx>
  readonly keyRing: KeyRing
  readonly maxBytes: number
  readonly now: () => number
  readonly onLarge: (event: { readonly type: string; readonly id: string; readonly bytes: number }) => void
  /** Called once events are stored, to wake a worker in this process. */
  readonly onPublished: () => void
}

type Publish<C extends Catalog, Tx> = (
  inputs: readonly AnyPublishInput<C>[],
  options?: PublishOptions<Tx>,
) => Promise<PublishedEvent[]>

/** Validates, redacts and serialises events, and hands them to the store. */
export function createPublisher<C extends Catalog, Tx>(options: PublisherOptions<C, Tx>): Publish<C, Tx> {
  const { catalog, store, keyRing, maxBytes, now, onLarge, onPublished } = options
  const redactors = new Map<string, Redactor>(
    catalog.types.map((type) => [type.name, createRedactor(type.personalDataPaths)]),
  )
  const encoder = new TextEncoder()

  const draft = async (input: AnyPublishInput<C>): Promise<EventDraft> => {
    const type = catalog.get(input.type)
    const redactor = redactors.get(input.type)
    if (type === undefined || redactor === undefined) {
      throw new CallboardError('EVENT_TYPE_UNKNOWN', `The catalogue has no event type ${quoted(String(input.type))}.`)
    }
    const {
      account: accountId,
      mode = 'live',
      occurredAt = new Date(now()),
      correlationId = null,
      subject,
      idempotencyKey,
    } = input
    const issues = inputIssues(input, now())
    const parsed = type.schema.safeParse(input.data)
    if (!parsed.success) {
      for (const issue of parsed.error.issues)
        issues.push({ path: ['data', ...issue.path].map(String).join('.'), message: issue.message })
    }
    const personId =
      parsed.success && type.personPath !== undefined ? personIdIn(parsed.data, type.personPath) : undefined
    // Unlike the rest of `data` it is kept outside JSON, where no escape saves a NUL from the database.
    const personProblem = personId === undefined ? undefined : textProblem(personId, PERSON_TEXT)
    if (personProblem !== undefined) {
      const path = `data.${type.personPath}`
      issues.push({ path, message: `${path} ${personProblem}` })
    }
    if (issues.length > 0 || !parsed.success) {
      const [first] = issues
      throw new CallboardError(
        'VALIDATION_FAILED',
        `${type.name} cannot be published: ${first?.path}: ${first?.message}`,
        { issues },
      )
    }
    const data = redactor(parsed.data)
    const id = input.id ?? createId('evt', { now: now() })
    const parts = envelopeParts({
      id,
      type: type.name,
      version: catalog.version,
      occurredAt,
      accountId,
      subject,
      correlationId,
      mode,
      data: data.redacted,
    })
    const patch = data.patch
    // The account's name and the sequence are filled in by the store and are not counted.
    const bytes =
      encoder.encode(parts.head + parts.middle + parts.tail).length +
      (patch === null ? 0 : encoder.encode(patch).length)
    if (bytes > maxBytes)
      throw new CallboardError(
        'EVENT_TOO_LARGE',
        `${type.name} cannot be published: its envelope has ${bytes} bytes, at most ${maxBytes} are allowed.`,
      )
    if (bytes > LARGE_BYTES) onLarge({ type: type.name, id, bytes })
    const idempotent = input.id !== undefined || idempotencyKey !== undefined
    const said = [
      type.name,
      subject.type,
      subject.id,
      subject.sequence ?? null,
      input.occurredAt?.toISOString() ?? null,
      correlationId,
      JSON.stringify(parsed.data),
    ]
    return {
      ...parts,
      accountId,
      mode,
      id,
      type: type.name,
      occurredAt,
      subject: { type: subject.type, id: subject.id },
      sequence: subject.sequence,
      ownId: input.id !== undefined,
      idempotencyKey,
      digests: idempotent ? await keyRing.digests(JSON.stringify(said)) : [],
      patch,
      fingerprint: type.fingerprint,
      personId,
    }
  }

  return async (inputs, { tx } = {}) => {
    const drafts = await Promise.all(inputs.map(draft))
    const firsts = new Map<string, EventDraft>()
    for (const each of drafts) {
      const key = identityOf(each)
      const first = firsts.get(key)
      if (first === undefined) firsts.set(key, each)
      else if (first.digests[0] !== each.digests[0]) throw conflict()
    }
    if (firsts.size === 0) return []
    const unique = [...firsts.values()]
    const outcomes = await store.publish(unique, tx)
    // Before any `not_stored`, which only says that something else is wrong.
    if (outcomes.some(({ outcome }) => outcome === 'account_unknown')) throw unknownAccount()
    const published = new Map<string, PublishedEvent>()
    unique.forEach((each, index) => {
      published.set(identityOf(each), toPublished(outcomes[index]))
    })
    onPublished()
    const seen = new Set<string>()
    return drafts.map((each) => {
      const key = identityOf(each)
      const event = published.get(key)
      if (event === undefined) throw new Error('the store answered for fewer events than it was given')
      const repeated = event.repeated || seen.has(key)
      seen.add(key)
      return { ...event, repeated }
    })
  }
}

function toPublished(outcome: PublishOutcome | undefined): PublishedEvent {
  switch (outcome?.outcome) {
    case 'stored':
    case 'known':
      return { ...outcome.event, repeated: outcome.outcome === 'known' }
    default:
      throw conflict()
  }
}

function conflict(): CallboardError {
  return new CallboardError(
    'IDEMPOTENCY_CONFLICT',
    'Another event was published under this id or idempotency key. Use a new one for a new event.',
  )
}

function identityOf({ accountId, mode, id, idempotencyKey }: EventDraft): string {
  return JSON.stringify([accountId, mode, idempotencyKey === undefined ? id : null, idempotencyKey])
}

function inputIssues(input: AnyPublishInput<Catalog>, now: number): Issue[] {
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

/** Where an optional member on the path is left out, the event belongs to nobody who could be erased. */
function personIdIn(data: unknown, path: string): string | undefined {
  const id = valueAt(data, path)
  return typeof id === 'string' ? id : undefined
}
