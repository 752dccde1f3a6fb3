import { deletedAccount, unknownAccount } from '../accounts/accounts.ts'
import { callersTransaction, type InTransaction } from '../caller-transaction.ts'
import { CallboardError } from '../errors.ts'
import type { EventDraft, EventStore, PublishOutcome } from '../ports/event-store.ts'
import type { SeenEvent, Telemetry } from '../telemetry/telemetry.ts'
import type { Catalog } from './catalog.ts'
import { createDrafter, type DrafterOptions } from './event-drafts.ts'
import type { AnyPublishInput } from './publish-input.ts'
import type { PublishedEvent } from './published-event.ts'

export interface PublisherOptions<C extends Catalog, Tx> extends DrafterOptions<C> {
  readonly store: EventStore<Tx>
  /** Called with the account of each event, before anything is stored. Throws to refuse all events. */
  readonly admit: (accountIds: readonly string[]) => void
  /** Called after events are stored, to wake the worker in this process, if there is one. */
  readonly onPublished: () => void
  /** Called when the store has failed to store events. */
  readonly onFailed: () => void
  readonly telemetry: Telemetry | undefined
}

type Publish<C extends Catalog, Tx> = (
  inputs: readonly AnyPublishInput<C>[],
  options?: InTransaction<Tx>,
) => Promise<PublishedEvent[]>

/** Creates a function that validates, redacts, serialises and stores events. */
export function createPublisher<C extends Catalog, Tx>(options: PublisherOptions<C, Tx>): Publish<C, Tx> {
  const { catalog, store, admit, onPublished, onFailed, telemetry } = options
  const draft = createDrafter(options)
  const publish = async (
    inputs: readonly AnyPublishInput<C>[],
    tx: Tx | undefined,
    trace: string | undefined,
  ): Promise<PublishedEvent[]> => {
    const drafts = await Promise.all(inputs.map((input) => draft(input, trace)))
    const firsts = firstOfEach(drafts)
    const unique = [...new Set(firsts)]
    if (unique.length === 0) return []
    admit(drafts.map(({ accountId }) => accountId))
    const outcomes = await store.publishDrafts(unique, tx).catch((error: unknown) => {
      onFailed()
      throw error
    })
    // Checked first, because `toPublished` reports `account_unknown` and `not_stored` as conflicts.
    const unknown = unique.filter((_, index) => outcomes[index]?.outcome === 'account_unknown')
    if (unknown.length > 0)
      throw unknown.every(({ newAccount }) => newAccount !== undefined) ? deletedAccount() : unknownAccount()
    const published = new Map(unique.map((each, index) => [each, toPublished(outcomes[index])]))
    onPublished()
    return firsts.map((first, index) => {
      const event = published.get(first)
      if (event === undefined) throw new Error('the store returned fewer outcomes than it was given events')
      return first === drafts[index] ? event : { ...event, repeated: true }
    })
  }
  if (telemetry === undefined) return async (inputs, options) => publish(inputs, callersTransaction(options), undefined)
  return async (inputs, options) => {
    const tx = callersTransaction(options)
    return telemetry.publish(
      inputs.map(({ type, accountId, mode = 'live' }): SeenEvent => {
        return { type: catalog.get(type)?.name, accountId, mode }
      }),
      (trace) => publish(inputs, tx, trace),
    )
  }
}

/** Returns, for each draft, the first draft with the same id or idempotency key, which is usually the draft itself. */
function firstOfEach(drafts: readonly EventDraft[]): EventDraft[] {
  const firsts = new Map<string, EventDraft>()
  return drafts.map((draft) => {
    // A draft without digests has a generated id, which no other draft shares.
    if (draft.digests.length === 0) return draft
    const identity = identityOf(draft)
    const first = firsts.get(identity) ?? draft
    firsts.set(identity, first)
    if (first.digests[0] !== draft.digests[0]) throw conflict()
    return first
  })
}

function identityOf({ accountId, mode, id, idempotencyKey }: EventDraft): string {
  return JSON.stringify([accountId, mode, idempotencyKey === undefined ? id : null, idempotencyKey])
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
    'A different event was published with this id or idempotency key. Use a new one for a new event.',
  )
}
