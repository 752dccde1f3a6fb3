import {
  accountsToCreate,
  type EventDraft,
  type EventText,
  type PublishOutcome,
  type RequestOf,
  type ResultOf,
  type Store,
  type StoredEvent,
} from '@callboard/core/store'
import { searchEvents } from '../event-search.ts'
import { textOf } from '../event-text.ts'
import { readFeed } from '../feed.ts'
import { isAnotherInput } from '../is-another-input.ts'
import type { AccountState, EventState, MemoryState, ModeState } from '../memory-state.ts'
import { createTimeline, type Timeline } from '../timeline.ts'
import { createAccounts } from './account-store.ts'

export function createEventStore(state: MemoryState): Store<unknown>['events'] {
  return {
    publishDrafts: async (drafts) => publish(state, drafts),
    pageEvents: async (request) => readPage(state, request),
    readFeed: async (reads) => reads.map((read) => readFeed(state, read)),

    async find(accountId, mode, id, horizonMs = Number.POSITIVE_INFINITY) {
      const event = state.accounts.get(accountId)?.modes[mode].events.get(id)
      return event && event.publishedAt >= state.now() - horizonMs ? textOf(event, true) : undefined
    },

    searchEvents: async (request) => searchEvents(state, request),
  }
}

/** Reads a page of events, newest first. */
export function readPage(
  state: MemoryState,
  request: RequestOf<'events', 'pageEvents'>,
): ResultOf<'events', 'pageEvents'> {
  const { accountId, mode, type, after, limit, horizonMs, personalData } = request
  const home = state.accounts.get(accountId)?.modes[mode]
  const timeline = type === undefined ? home?.timeline : home?.timelineByType.get(type)
  const oldest = state.now() - horizonMs
  const events: (EventText & { occurredAt: number })[] = []
  for (const event of timeline?.before(after) ?? []) {
    if (event.publishedAt < oldest) continue
    if (events.length === limit) return { events, hasMore: true }
    events.push({ ...textOf(event, personalData), occurredAt: event.stored.occurredAt.getTime() })
  }
  return { events, hasMore: false }
}

/** The decision on a draft. */
type Judgement =
  | { readonly kind: 'new'; readonly draft: EventDraft; readonly account: AccountState }
  | { readonly kind: 'settled'; readonly outcome: PublishOutcome }

function judge(state: MemoryState, draft: EventDraft): Judgement {
  const account = state.accounts.get(draft.accountId)
  if (account === undefined) return { kind: 'settled', outcome: { outcome: 'account_unknown' } }
  const { events, eventsByKey } = account.modes[draft.mode]
  // The draft's id can belong to one stored event, and its idempotency key to another.
  const byKey = draft.idempotencyKey === undefined ? undefined : eventsByKey.get(draft.idempotencyKey)
  const byId = events.get(draft.id)
  const known = byId ?? byKey
  if (known === undefined) return { kind: 'new', draft, account }
  const isAnother = [byId, byKey].some((event) => isAnotherInput(event?.content.digest, draft.digests))
  const outcome = isAnother ? 'conflict' : 'known'
  return { kind: 'settled', outcome: { outcome, event: known.stored } }
}

function publish(state: MemoryState, drafts: readonly EventDraft[]): PublishOutcome[] {
  const judged = drafts.map((draft) => judge(state, draft))
  const accounts = accountsToCreate(
    drafts,
    judged.map((each) => (each.kind === 'settled' ? each.outcome.outcome : undefined)),
  )
  if (accounts.length > 0 && createAccounts(state, accounts).deleted.length === 0) return publish(state, drafts)
  const refused = judged.some((each) => each.kind === 'settled' && each.outcome.outcome !== 'known')
  return judged.map((each): PublishOutcome => {
    if (each.kind === 'settled') return each.outcome
    return refused ? { outcome: 'not_stored' } : { outcome: 'stored', event: add(state, each.account, each.draft) }
  })
}

function add(state: MemoryState, account: AccountState, draft: EventDraft): StoredEvent {
  const home = account.modes[draft.mode]
  const { id, type, occurredAt, subject, digests, head, middle, tail, patch, fingerprint, personId, trace } = draft
  const subjectKey = JSON.stringify([draft.accountId, draft.mode, subject.type, subject.id])
  const sequence = draft.sequence ?? nextSequence(home, subjectKey)
  const event: EventState = {
    stored: { id, type, occurredAt, subject: { ...subject, sequence } },
    accountId: draft.accountId,
    mode: draft.mode,
    idempotencyKey: draft.idempotencyKey,
    home,
    subjectKey,
    publishedAt: state.now(),
    arrival: ++state.arrivals,
    trace,
    content: {
      digest: digests[0],
      personId,
      personDigest: undefined,
      body: `${head}${JSON.stringify(account.record.name)}${middle}${sequence}${tail}`,
      patch,
      fingerprint,
    },
  }
  home.events.set(id, event)
  if (draft.idempotencyKey !== undefined) home.eventsByKey.set(draft.idempotencyKey, event)
  home.timeline.insert(event)
  timelineOf(home, type).insert(event)
  state.outbox.push(event)
  return event.stored
}

function nextSequence({ counters }: ModeState, subjectKey: string): number {
  const sequence = (counters.get(subjectKey) ?? 0) + 1
  counters.set(subjectKey, sequence)
  return sequence
}

function timelineOf({ timelineByType }: ModeState, type: string): Timeline<EventState> {
  const timeline = timelineByType.get(type) ?? createTimeline()
  timelineByType.set(type, timeline)
  return timeline
}
