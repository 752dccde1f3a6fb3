import {
  carriesPersonalData,
  type DueLane,
  deliveriesPerLease,
  isSuspected,
  type Lane,
  type LeasedDelivery,
  type LeasedLane,
  type RequestOf,
  type ResultOf,
  type Retry,
  roomForFresh,
  targetHost,
  unlessStandard,
} from '@callboard/core/store'
import { textOf } from '../event-text.ts'
import { type FeedEntry, findSubscription, type MemoryState, type SubscriptionState } from '../memory-state.ts'
import { backfillAhead } from './backfilling.ts'
import { putLane, standingIn, subjectKeyOf } from './lanes.ts'
import { eventsAhead } from './pending-events.ts'

/**
 * The lanes that are due, in the order in which they became due. Every search looks at all lanes, so it misses none.
 */
export function dueLanes(
  state: MemoryState,
  { limit, after }: RequestOf<'deliveries', 'due'>,
): ResultOf<'deliveries', 'due'> {
  const now = state.now()
  const last = after?.last
  const due = [...state.withWork]
    .flatMap(({ record, lane }): DueLane[] => {
      const { accountId, mode, id, targetUrl } = record
      const { wakeAt: dueAt } = lane
      if (dueAt === undefined || dueAt > now || (last !== undefined && !isAfter({ dueAt, id }, last))) return []
      const hasNew = lane.head > lane.settledThrough
      return [{ accountId, mode, id, host: targetHost(targetUrl), slow: lane.slow, hasNew, dueAt, epoch: lane.epoch }]
    })
    .sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))
  const lanes = due.slice(0, limit)
  const end = due.length > limit ? lanes.at(-1) : undefined
  const place = { since: now, last: end && { dueAt: String(end.dueAt), id: end.id } }
  return { lanes, place, rest: end !== undefined }
}

function isAfter(lane: Pick<DueLane, 'dueAt' | 'id'>, last: { readonly dueAt: string; readonly id: string }): boolean {
  return lane.dueAt > Number(last.dueAt) || (lane.dueAt === Number(last.dueAt) && lane.id > last.id)
}

export function lease(
  state: MemoryState,
  { worker, call, lanes, leaseMs }: RequestOf<'deliveries', 'lease'>,
): LeasedLane[] {
  const now = state.now()
  return lanes.flatMap((wanted) => {
    const subscription = findSubscription(state, wanted)
    if (subscription === undefined || (subscription.lane.wakeAt ?? Infinity) > now) return []
    subscription.leaseCall = { worker, call }
    return [leaseLane(state, subscription, { room: wanted.room, leaseMs }, now)]
  })
}

function leaseLane(
  state: MemoryState,
  subscription: SubscriptionState,
  { room, leaseMs }: { readonly room: number; readonly leaseMs: number },
  now: number,
): LeasedLane {
  const { record } = subscription
  const { accountId, mode, id, targetUrl, apiVersion, secrets, signatures } = record
  const { epoch, claims } = subscription.lane
  const lane: Lane = {
    ...subscription.lane,
    state: 'leased',
    epoch: epoch + 1,
    claims: claims + 1,
    wakeAt: now + leaseMs,
  }
  putLane(state, subscription, lane)
  const suspect = isSuspected(lane.claims)
  const standing = standingIn(state, subscription)
  const mostDeliveries = deliveriesPerLease(lane, room)
  const { retries, fresh, through, backfilled, part } = readWork(state, subscription, mostDeliveries, now)
  subscription.leasedRoom = mostDeliveries

  const events = state.accounts.get(accountId)?.modes[mode].events
  const ordered = record.ordering === 'subject'
  const met = new Set<string>()
  const deliveries: LeasedDelivery[] = [
    ...retries.map((retry): LeasedDelivery => {
      const event = events?.get(retry.eventId)
      return {
        eventId: retry.eventId,
        position: undefined,
        attempts: retry.attempts,
        suspect: suspect || retry.suspect,
        redacted: retry.redacted,
        subject: ordered ? retry.subject : undefined,
        waiting: false,
        event: event && textOf(event, carriesPersonalData(standing, retry)),
        trace: event?.trace,
      }
    }),
    ...fresh.map(({ position, event }): LeasedDelivery => {
      const subject = ordered ? subjectKeyOf(event) : undefined
      const waiting = subject !== undefined && (met.has(subject) || isHeldUp(subscription, subject))
      if (subject !== undefined) met.add(subject)
      return {
        eventId: event.stored.id,
        position,
        attempts: 0,
        suspect,
        redacted: false,
        subject,
        waiting,
        event: textOf(event, standing.personalData),
        trace: event.trace,
      }
    }),
    ...backfilled.map(
      ({ event }): LeasedDelivery => ({
        eventId: event.stored.id,
        position: undefined,
        backfilled: true,
        attempts: 0,
        suspect,
        redacted: false,
        subject: undefined,
        waiting: false,
        event: textOf(event, standing.personalData),
        trace: event.trace,
      }),
    ),
  ]
  return {
    lease: { accountId, mode, id, epoch: lane.epoch },
    targetUrl,
    apiVersion,
    secrets: secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt.getTime() > now),
    signatures: unlessStandard(signatures),
    standing,
    settledThrough: lane.settledThrough,
    through,
    ...(part !== undefined && { backfill: part }),
    breakerFailures: lane.breakerFailures,
    deliveries,
  }
}

/** Later than every `askedAt`, so that retries that nobody asked for come last. */
const NEVER = Number.MAX_SAFE_INTEGER

interface Work {
  readonly retries: readonly Retry[]
  readonly fresh: readonly FeedEntry[]
  readonly through: number
  readonly backfilled: readonly FeedEntry[]
  /** The part of the backfill that the lease goes through. */
  readonly part: LeasedLane['backfill']
}

/**
 * Reads the deliveries to lease, at most `room`: first due retries, then new events from the feed. Retries fill at most
 * half of the room, so that old failures cannot starve new events. A running backfill gets what is left.
 */
function readWork(state: MemoryState, subscription: SubscriptionState, room: number, now: number): Work {
  const { lane } = subscription
  const due = [...subscription.retries.values()]
    .flatMap((retry) => (retry.dueAt === undefined || retry.dueAt > now ? [] : [{ ...retry, dueAt: retry.dueAt }]))
    .sort((a, b) => (a.askedAt ?? NEVER) - (b.askedAt ?? NEVER) || a.dueAt - b.dueAt)
  const retries = due.slice(0, Math.ceil(room / 2))
  const left = roomForFresh(room - retries.length, lane.backfill?.state === 'running')
  const feed = eventsAhead(state, subscription, left)
  // Events that are older than the subscription fill room too, but are not delivered.
  const fresh = feed.filter(({ event }) => event.arrival > subscription.since)
  const suspect = retries.find((retry) => retry.suspect)
  const leftOver = suspect === undefined ? room - retries.length - feed.length : 0
  const { entries: backfilled, part } = backfillAhead(state, subscription, leftOver)
  if (suspect !== undefined && retries.length + fresh.length > 1)
    return { retries: [suspect], fresh: [], through: lane.settledThrough, backfilled: [], part: undefined }
  // A lease that contains all remaining events ends at `head`. The last event found may be before that, because
  // retention may have removed later ones.
  const last = feed.at(-1)?.position ?? lane.settledThrough
  return { retries, fresh, through: feed.length < left ? Math.max(lane.head, last) : last, backfilled, part }
}

/**
 * Whether a new event of the subject has to wait, because an earlier delivery of the subject is retrying or waiting.
 * Deliveries that were resent after they had ended do not count.
 */
function isHeldUp({ retries }: SubscriptionState, subject: string): boolean {
  return [...retries.values()].some((retry) => !retry.manual && retry.subject === subject)
}
