import { type OfEvent, type OfSubscription, type Owner, readOwner, readSubscription } from '../accounts/owner.ts'
import type { Recorder } from '../audit/recorder.ts'
import type { ListBinding, Place } from '../cursors/cursor-format.ts'
import { assertPageLimit, PAGE_LIMIT, type PageCursors, type PageQuery } from '../cursors/page-cursors.ts'
import { CallboardError } from '../errors.ts'
import { idFromUuid, uuidFromId } from '../id.ts'
import { CAPS } from '../ports/caps.ts'
import {
  type DeliveryPage,
  type EventRef,
  type FailedAttempt,
  type RangePlace,
  type ResendableState,
  type ResendOutcome,
  type ResentStep,
  UNDELIVERED,
} from '../ports/delivery-log.ts'
import type { DeliveryRecord, DeliveryState, LoggedAttempt } from '../ports/delivery-record.ts'
import type { Store } from '../ports/whole-store.ts'
import { assertDate } from '../validation/validation.ts'
import { afterPause } from './after-pause.ts'

/** A page of deliveries, newest first. A page that is shorter than the limit is not necessarily the last. */
export interface DeliveriesPage {
  readonly deliveries: readonly DeliveryRecord[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** A page of the attempts log, newest first. */
export interface AttemptsPage {
  readonly attempts: readonly LoggedAttempt[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** The result of one step of `resendRange`. */
export interface ResentRangeStep {
  /** How many ended deliveries got a new schedule in this step, plus how many retries were made due now. */
  readonly resent: number
  /** How many deliveries needed no change, because they were not attempted yet or their retry was already due. */
  readonly waiting: number
  /** `resent` and `waiting` together, broken down by the state of the deliveries before the step. */
  readonly found: Readonly<Record<ResendableState, number>>
  /**
   * The publish time of the newest event that this step examined, for showing progress; undefined when the step
   * examined no event, or only events that retention has removed.
   */
  readonly reachedAt: Date | undefined
  /** Null after the last step. */
  readonly nextCursor: string | null
}

/** The deliveries that {@link Deliveries.resendRange} goes through. */
export interface DeliveryRange {
  /** Only events published at this time or later. */
  readonly from: Date
  /** Only events published before this time; no upper bound by default. */
  readonly to?: Date | undefined
  /**
   * By default `pending`, `retrying`, `exhausted` and `disabled`. The default leaves out `skipped`, because somebody
   * ended the skipped deliveries on purpose.
   */
  readonly states?: readonly ResendableState[] | undefined
}

/** The counts of `resendRange`, before anything is resent. */
export interface RangeCount extends Pick<ResentRangeStep, 'resent' | 'waiting'> {
  /** Whether both counts are complete. If false, each is a lower bound. */
  readonly complete: boolean
}

/**
 * Deliveries and their attempts. Every method throws `VALIDATION_FAILED` for a limit that is out of range or a cursor
 * from another list.
 */
export interface Deliveries {
  /**
   * Lists the deliveries of a subscription, most recently sequenced event first. `state`, `type` and `eventId` limit the
   * list to one state, one event type or one event. `from` and `to` limit it to events that were published at `from` or
   * later and before `to`; then events that retention has removed are left out, and a store may leave out events that were
   * sequenced more than 10 minutes after they were published. They have no effect with `eventId`.
   */
  list(
    query: OfSubscription &
      PageQuery & {
        readonly state?: DeliveryState | undefined
        readonly type?: string | undefined
        readonly eventId?: string | undefined
        readonly from?: Date | undefined
        readonly to?: Date | undefined
      },
  ): Promise<DeliveriesPage>
  /**
   * Reads the delivery of one event to one subscription; undefined when it does not exist or the subscription is
   * removed.
   */
  find(delivery: OfSubscription & OfEvent): Promise<DeliveryRecord | undefined>
  /** Lists the deliveries of an event, newest subscription first. */
  ofEvent(query: OfEvent & PageQuery & { readonly state?: DeliveryState | undefined }): Promise<DeliveriesPage>
  /** Lists the attempts for a subscription; with `eventId`, only the attempts for that event. */
  attempts(query: OfSubscription & PageQuery & { readonly eventId?: string | undefined }): Promise<AttemptsPage>
  /** Lists the attempts for an event, for all subscriptions. */
  attemptsOfEvent(query: OfEvent & PageQuery): Promise<AttemptsPage>
  /**
   * Lists the last failed attempt of each delivery of an account, newest first; `limit` is 1 to 100, 25 by default.
   * Looks at only the newest 200 failed attempts.
   */
  newestFailures(query: Owner & { readonly limit?: number | undefined }): Promise<readonly FailedAttempt[]>
  /**
   * Resends an event to a subscription by hand. An attempt in flight is neither cancelled nor duplicated.
   * Unless the delivery is pending, it is attempted before the subscription's other deliveries. Returns:
   * - `scheduled`: the delivery had ended or did not exist, and has a new schedule.
   * - `hastened`: the delivery was retrying. Its retry is due now, and its earlier attempts still count.
   * - `pending`: the delivery has not been attempted yet and will be sent in its turn.
   *
   * Throws `NOT_FOUND`, `SUBSCRIPTION_DISABLED`, and `EVENT_EXPIRED` when retention has removed the event.
   */
  resend(delivery: OfSubscription & OfEvent): Promise<'scheduled' | 'hastened' | 'pending'>
  /**
   * Resends the deliveries of events published in a time range, one step per call, oldest first. An ended delivery gets
   * a new schedule. A retrying one becomes due now, and its earlier attempts still count. A pending one keeps its turn.
   * If the subscription's lane is paused, the lane is probed now.
   *
   * Repeat the call with `nextCursor` until it is null. Starting over is safe: nothing is resent twice. Throws
   * `NOT_FOUND` and `SUBSCRIPTION_DISABLED`.
   */
  resendRange(
    range: OfSubscription &
      DeliveryRange & {
        /** The `nextCursor` of the previous step; null or absent to start at `from`. */
        readonly cursor?: string | null | undefined
      },
  ): Promise<ResentRangeStep>
  /**
   * Counts what `resendRange` would do at this moment, and changes nothing. To stay fast, the count ends once
   * `CAPS.counted` deliveries were examined. Throws `NOT_FOUND` and `SUBSCRIPTION_DISABLED`.
   */
  countRange(range: OfSubscription & DeliveryRange): Promise<RangeCount>
}

/** Reading a page takes at most this many calls to the store. A page that would need more is shorter than its limit. */
const STEPS = 10
const FIRST_UUID = '00000000-0000-0000-0000-000000000000'

export function createDeliveries(
  { deliveryLog: store, health }: Pick<Store<unknown>, 'deliveryLog' | 'health'>,
  { open, close }: PageCursors,
  { entry, admitChange }: Pick<Recorder, 'entry' | 'admitChange'>,
): Deliveries {
  /**
   * Turns attempts into a page. The store was asked for one attempt more than fits on the page. If the extra attempt
   * exists, another page follows.
   */
  const toAttemptsPage = async (attempts: LoggedAttempt[], limit: number, binding: ListBinding) => {
    const last = attempts.length > limit ? attempts[limit - 1] : undefined
    const place = last && { number: 0, uuid: uuidFromId('att', last.id) }
    return { attempts: attempts.slice(0, limit), nextCursor: await close(place, binding) }
  }

  return {
    async list({ state, type, eventId, from, to, ...query }) {
      const ref = readSubscription(query)
      for (const [path, time] of Object.entries({ from, to })) if (time !== undefined) assertDate(path, time)
      const published = from === undefined && to === undefined ? undefined : { from, to }
      const times = published === undefined ? [] : [from?.toISOString() ?? null, to?.toISOString() ?? null]
      const binding = [ref.accountId, ref.mode, 'deliveries', ref.id, state ?? null, type ?? null, ...times]
      if (eventId !== undefined) {
        await open(query, [...binding, eventId])
        const found = await store.find(ref, eventId)
        const isListed = (state ?? found?.state) === found?.state && (type ?? found?.type) === found?.type
        const listed = found !== undefined && isListed ? [found] : []
        return { deliveries: await afterPause(health, ref, listed), nextCursor: null }
      }
      const { limit, place } = await open(query, binding)
      const page = await fill(limit, place?.number, (before, left) =>
        store.page(ref, { state, type, published, before, limit: left }),
      )
      const next = page.next === undefined ? undefined : { number: page.next, uuid: FIRST_UUID }
      const shown = await afterPause(health, ref, page.deliveries)
      return { deliveries: shown, nextCursor: await close(next, binding) }
    },
    async find(delivery) {
      const ref = readSubscription(delivery)
      const found = await store.find(ref, delivery.eventId)
      const [shown] = await afterPause(health, ref, found === undefined ? [] : [found])
      return shown
    },
    async ofEvent({ state, ...query }) {
      const ref = readEvent(query)
      const binding = [ref.accountId, ref.mode, 'deliveries of event', ref.eventId, state ?? null]
      const { limit, place } = await open(query, binding)
      const page = await fill(limit, place && idFromUuid('sub', place.uuid), (before, left) =>
        store.pageOfEvent(ref, { state, before, limit: left }),
      )
      const next = page.next === undefined ? undefined : { number: 0, uuid: uuidFromId('sub', page.next) }
      const shown = await afterPause(health, ref, page.deliveries)
      return { deliveries: shown, nextCursor: await close(next, binding) }
    },
    async attempts({ eventId, ...query }) {
      const ref = readSubscription(query)
      const binding = [ref.accountId, ref.mode, 'attempts', ref.id, eventId ?? null]
      const { limit, place } = await open(query, binding)
      const before = place && idFromUuid('att', place.uuid)
      return toAttemptsPage(await store.attempts(ref, { eventId, before, limit: limit + 1 }), limit, binding)
    },
    async attemptsOfEvent(query) {
      const { eventId, ...owner } = readEvent(query)
      const binding = [owner.accountId, owner.mode, 'attempts of event', eventId]
      const { limit, place } = await open(query, binding)
      const before = place && idFromUuid('att', place.uuid)
      return toAttemptsPage(await store.attempts(owner, { eventId, before, limit: limit + 1 }), limit, binding)
    },
    async newestFailures({ limit = PAGE_LIMIT.default, ...owner }) {
      assertPageLimit(limit)
      return store.newestFailures(readOwner(owner), limit)
    },
    async resend({ eventId, ...subscription }) {
      const { id, ...owner } = readSubscription(subscription)
      await admitChange(owner.accountId)
      const details = { eventId }
      return resent(
        await store.resend(
          { ...owner, id },
          eventId,
          entry({ action: 'delivery.resent', ...owner, objectId: id, details }),
        ),
      )
    },
    async resendRange({ cursor, ...range }) {
      const { ref, from, to, states } = readRange(range)
      const times = [from.toISOString(), to?.toISOString() ?? null]
      const binding = [ref.accountId, ref.mode, 'resent range', ref.id, ...times, ...states]
      const { place } = await open({ cursor }, binding)
      // Only the first step counts as a change, because the later steps continue the same request.
      if (place === undefined) await admitChange(ref.accountId)
      const { id: objectId, ...owner } = ref
      const details = { states, from: from.toISOString(), ...(to && { to: to.toISOString() }) }
      const step = await store.resendRange(
        ref,
        { states, from, to, after: place && rangePlace(place), limit: RANGE_STEP },
        entry({ action: 'deliveries.resent', ...owner, objectId, details }),
      )
      const { resent, found, waiting, reachedAt, next } = stepTaken(step)
      return { resent, waiting, found, reachedAt, nextCursor: await close(next && placeOf(next), binding) }
    },
    async countRange(range) {
      const { ref, ...asked } = readRange(range)
      const count = { resent: 0, waiting: 0 }
      let after: RangePlace | undefined
      for (let examined = 0; examined < CAPS.counted; examined += COUNT_STEP) {
        const { resent, waiting, next } = stepTaken(await store.countRange(ref, { ...asked, after, limit: COUNT_STEP }))
        count.resent += resent
        count.waiting += waiting
        if (next === undefined) return { ...count, complete: true }
        after = next
      }
      return { ...count, complete: false }
    },
  }
}

function readRange({ from, to, states = UNDELIVERED, ...subscription }: OfSubscription & DeliveryRange) {
  const ref = readSubscription(subscription)
  for (const [path, time] of Object.entries({ from, to })) if (time !== undefined) assertDate(path, time)
  return { ref, from, to, states }
}

function stepTaken(step: ResentStep | 'disabled' | 'unknown') {
  if (step === 'unknown' || step === 'disabled') throw refusal(step)
  const found = { pending: 0, retrying: 0, exhausted: 0, skipped: 0, disabled: 0, ...step.found }
  const waiting = Object.values(found).reduce((sum, count) => sum + count, 0) - step.resent
  return { ...step, found, waiting }
}

function placeOf({ position, eventId }: RangePlace): Place {
  return { number: position, uuid: eventId === undefined ? FIRST_UUID : uuidFromId('evt', eventId) }
}

function rangePlace({ number, uuid }: Place): RangePlace {
  return { position: number, eventId: uuid === FIRST_UUID ? undefined : idFromUuid('evt', uuid) }
}

/** One step of `resendRange` examines at most this many deliveries. */
const RANGE_STEP = 500
/** One step of `countRange` examines at most this many deliveries, which took 0.2 s on a busy machine of two cores. */
const COUNT_STEP = 1000

/** Reads deliveries until the page is full, the list ends, or the store has been called {@link STEPS} times. */
async function fill<At>(
  limit: number,
  start: At | undefined,
  read: (before: At | undefined, limit: number) => Promise<DeliveryPage<At>>,
): Promise<DeliveryPage<At>> {
  const deliveries: DeliveryRecord[] = []
  let next = start
  for (let steps = 0; steps < STEPS && deliveries.length < limit; steps++) {
    const page = await read(next, limit - deliveries.length)
    deliveries.push(...page.deliveries)
    next = page.next
    if (next === undefined) break
  }
  return { deliveries, next }
}

function resent(outcome: ResendOutcome): 'scheduled' | 'hastened' | 'pending' {
  if (outcome === 'unknown' || outcome === 'disabled' || outcome === 'expired') throw refusal(outcome)
  return outcome
}

function refusal(outcome: 'unknown' | 'disabled' | 'expired'): CallboardError {
  switch (outcome) {
    case 'unknown':
      return new CallboardError('NOT_FOUND', 'There is no such subscription or event.')
    case 'disabled':
      return new CallboardError('SUBSCRIPTION_DISABLED', 'The subscription is disabled. Enable it first.')
    case 'expired':
      return new CallboardError('EVENT_EXPIRED', 'The event is past its retention period and has been removed.')
  }
}

function readEvent(event: OfEvent): EventRef {
  return { ...readOwner(event), eventId: event.eventId }
}
