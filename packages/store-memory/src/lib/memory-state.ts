import type { Account, KeyRecord, LoggedAttempt, Mode, SubscriptionRecord } from '@callboard/core'
import type { EndedState, ExpiredRange, StoredEvent, Stretch, SubscriptionRef } from '@callboard/core/store'
import type { WindowCount } from './rate-windows.ts'
import { createTimeline, type Timeline } from './timeline.ts'

/** All that a memory store holds. The records in it are replaced, never changed: what a verb handed out stays as it was. */
export interface MemoryState {
  readonly now: () => number
  readonly accounts: Map<string, AccountState>
  /** Ids of accounts that were deleted: never given out again. */
  readonly spentAccounts: Set<string>
  readonly keysByToken: Map<string, KeyState>
  /** Published and not yet placed in the feed, oldest first. */
  outbox: EventState[]
  /** When each lane that has something to do wants to be looked at; for a leased lane, when its lease ends. */
  readonly wakeTimes: Map<SubscriptionState, number>
  /** The last position in the feed. */
  position: number
  /** When retention is to run next. */
  retentionAt: number
  /** The last event stored, counted from 1: tells what was there when a subscription was made. */
  arrivals: number
}

export interface AccountState {
  record: Account
  readonly keys: Map<string, KeyState>
  readonly modes: Readonly<Record<Mode, ModeState>>
}

export interface KeyState {
  record: KeyRecord
  readonly token: string
  readonly windows: WindowCount[]
}

/** What an account has in one mode. */
export interface ModeState {
  readonly events: Map<string, EventState>
  readonly eventsByKey: Map<string, EventState>
  /** The last sequence of each subject that the store counts for. */
  readonly counters: Map<string, number>
  readonly timeline: Timeline
  readonly timelineByType: Map<string, Timeline>
  readonly feedByType: Map<string, FeedEntry[]>
  /** Where each event is in the feed. */
  readonly positions: Map<string, number>
  /** The removed ones too. */
  readonly subscriptions: Map<string, SubscriptionState>
  readonly subscriptionsByIdentity: Map<string, SubscriptionState>
  readonly subscriptionsByType: Map<string, Set<SubscriptionState>>
}

export interface EventState {
  readonly stored: StoredEvent
  readonly accountId: string
  readonly mode: Mode
  readonly idempotencyKey: string | undefined
  readonly home: ModeState
  /** Account, mode, subject type and id. */
  readonly subjectKey: string
  readonly publishedAt: number
  readonly arrival: number
  readonly trace: string | undefined
  content: EventContent
}

/** What erasing changes of an event. */
export interface EventContent {
  /** Of the publisher's input; undefined when it cannot be published again. */
  readonly digest: string | undefined
  readonly personId: string | undefined
  readonly body: string
  readonly patch: string | null
  readonly fingerprint: string
}

export interface FeedEntry {
  readonly position: number
  readonly event: EventState
}

export interface SubscriptionState {
  record: SubscriptionRecord
  /** Its event types, and those that it had. */
  share: readonly Stretch[]
  readonly identity: string | undefined
  removed: boolean
  removedAt: number | undefined
  disabledAt: number | undefined
  /** What retention has overtaken, oldest first. */
  expired: readonly ExpiredRange[]
  lane: Lane
}

/** A subscription's way through the feed. */
export interface Lane {
  /** Everything up to here is settled or in retries. */
  cursor: number
  /** The last position that matches. */
  head: number
  /** Events that arrived up to here are older than the subscription. */
  since: number
  epoch: number
  /** The lease during which somebody skipped to now. */
  skippedEpoch?: number | undefined
  leased: boolean
  /** The breaker is open: only time wakes it. */
  paused: boolean
  /** Leases since the last settle. */
  claims: number
  failures: number
  slow: boolean
  failedTries: number
  failingSince: number | undefined
  readonly retries: Map<string, Retry>
  readonly history: LaneHistory
}

/** What a lane keeps when it starts anew. */
export interface LaneHistory {
  /** Events up to this arrival were there before the subscription. */
  readonly start: number
  /** Oldest first. */
  readonly attempts: LoggedAttempt[]
  /** Deliveries that ended without success, by event. */
  readonly ended: Map<string, { readonly state: EndedState; readonly tries: number }>
  /** The same without a try: places in (after, through]. */
  readonly endedRanges: { readonly after: number; readonly through: number; readonly state: EndedState }[]
  /** Events that were sent by hand and are not of its share of the feed. */
  readonly added: Set<string>
  /** Attempts by the number of the hour, the last ones only. */
  readonly hours: Map<number, { readonly delivered: number; readonly failed: number }>
}

export interface Retry {
  readonly eventId: string
  readonly tries: number
  /** Undefined: waits for an earlier event of its subject. */
  readonly dueAt: number | undefined
  readonly suspect: boolean
  readonly redacted: boolean
  /** The lease during which somebody asked for it by hand. */
  readonly resentEpoch?: number | undefined
  /** Sent again by hand after it had ended: keeps nobody waiting. */
  readonly manual: boolean
  /** Of its event, which may be gone; undefined: it was gone or not placed when this was written. */
  readonly subject: string | undefined
  readonly position: number | undefined
}

const HOUR_MS = 3_600_000

export function createMemoryState(now: () => number): MemoryState {
  return {
    now,
    accounts: new Map(),
    spentAccounts: new Set(),
    keysByToken: new Map(),
    outbox: [],
    wakeTimes: new Map(),
    position: 0,
    retentionAt: now() + HOUR_MS,
    arrivals: 0,
  }
}

export function createAccountState(record: Account): AccountState {
  return { record, keys: new Map(), modes: { live: createModeState(), test: createModeState() } }
}

function createModeState(): ModeState {
  return {
    events: new Map(),
    eventsByKey: new Map(),
    counters: new Map(),
    timeline: createTimeline(),
    timelineByType: new Map(),
    feedByType: new Map(),
    positions: new Map(),
    subscriptions: new Map(),
    subscriptionsByIdentity: new Map(),
    subscriptionsByType: new Map(),
  }
}

/** The subscription, unless it was removed. */
export function findSubscription(state: MemoryState, ref: SubscriptionRef): SubscriptionState | undefined {
  const subscription = findAnySubscription(state, ref)
  return subscription?.removed === false ? subscription : undefined
}

/** The subscription, removed or not. */
export function findAnySubscription(
  state: MemoryState,
  { accountId, mode, id }: SubscriptionRef,
): SubscriptionState | undefined {
  return state.accounts.get(accountId)?.modes[mode].subscriptions.get(id)
}

/** Bytes, an even number of them, as a map key: two a character, 0.3 µs for a hash; one a character took 0.5. */
export function keyOfBytes(bytes: Uint8Array): string {
  let key = ''
  for (let index = 0; index < bytes.length; index += 2)
    key += String.fromCharCode(((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0))
  return key
}
