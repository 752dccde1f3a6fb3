import { unknownAccount } from './accounts.ts'
import type { Catalog } from './catalog.ts'
import { envelopeParts } from './envelope.ts'
import { CallboardError } from './errors.ts'
import { createId } from './id.ts'
import type { KeyRing } from './key-ring.ts'
import { valueAt } from './personal-paths.ts'
import type { EventDraft, EventStore, PublishOutcome, Subject } from './ports/event-store.ts'
import { type AnyPublishInput, inputIssues } from './publish-input.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { quoted, textProblem } from './text-rules.ts'

/** As long as the schema lets it be. */
const PERSON_TEXT = { min: 0, max: Number.POSITIVE_INFINITY } as const
const LARGE_BYTES = 20 * 1024

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

/** Where an optional member on the path is left out, the event belongs to nobody who could be erased. */
function personIdIn(data: unknown, path: string): string | undefined {
  const id = valueAt(data, path)
  return typeof id === 'string' ? id : undefined
}
