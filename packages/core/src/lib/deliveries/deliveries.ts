import { type OwnedRef, readRef } from '../accounts/owner.ts'
import type { ListBinding } from '../cursors/cursor.ts'
import type { PageCursors, PageQuery } from '../cursors/page-cursors.ts'
import { CallboardError } from '../errors.ts'
import { idFromUuid, uuidFromId } from '../id.ts'
import type {
  DeliveryLog,
  DeliveryPage,
  DeliveryRecord,
  DeliveryState,
  EventRef,
  LoggedAttempt,
  ResendableState,
  ResendOutcome,
} from '../ports/delivery-log.ts'
import { assertDate } from '../validation.ts'

/** A page of deliveries, newest first. It may hold fewer than were asked for, and others follow all the same. */
export interface DeliveriesPage {
  readonly deliveries: readonly DeliveryRecord[]
  /** Null: this is the last page. */
  readonly nextCursor: string | null
}

/** A page of the attempts log, newest first. */
export interface AttemptsPage {
  readonly attempts: readonly LoggedAttempt[]
  /** Null: this is the last page. */
  readonly nextCursor: string | null
}

/** What one step through a range has done. */
export interface ResentRangeStep {
  readonly resent: number
  /** When the last event that was looked at was published, so that one can tell how far a range has come; undefined: none was. */
  readonly reachedAt: Date | undefined
  /** Null: this was the last step. */
  readonly nextCursor: string | null
}

/** Pages and resends throw `VALIDATION_FAILED` for a cursor of another list or a limit out of range. */
export interface Deliveries {
  /** The deliveries of a subscription, those last placed in the feed first; of one state or event type when they are named. */
  list(
    ref: OwnedRef,
    query?: PageQuery & { readonly state?: DeliveryState | undefined; readonly type?: string | undefined },
  ): Promise<DeliveriesPage>
  /** How one event stands for one subscription; undefined when it does not go there, or the subscription is removed. */
  find(ref: OwnedRef, eventId: string): Promise<DeliveryRecord | undefined>
  /** The deliveries of an event, those to the newest subscriptions first. */
  ofEvent(event: OwnedRef, query?: PageQuery & { readonly state?: DeliveryState | undefined }): Promise<DeliveriesPage>
  /** The attempts made for a subscription, or for one event of it. */
  attempts(ref: OwnedRef, query?: PageQuery & { readonly eventId?: string | undefined }): Promise<AttemptsPage>
  /** The attempts made for an event, for whichever subscription. */
  attemptsOfEvent(event: OwnedRef, query?: PageQuery): Promise<AttemptsPage>
  /**
   * Sends an event to a subscription again, by hand: `hastened` when its retry is due now (the tries are kept), `scheduled`
   * when it had ended and has a new schedule, `pending` when it goes out in its turn anyway. It neither cancels nor doubles an
   * automatic try that is under way. Throws `NOT_FOUND`, `SUBSCRIPTION_DISABLED`, `EVENT_EXPIRED` when retention has removed
   * the event.
   */
  resend(ref: OwnedRef, eventId: string): Promise<'scheduled' | 'hastened' | 'pending'>
  /**
   * Sends again what ended, `exhausted` by default, of the events published from a time on: one step, oldest first. With `retrying`
   * among the states, what waits for its next try is due now, its tries kept. Call it with `nextCursor` until that is null; again from the
   * start, it doubles nothing. Throws as {@link Deliveries.resend} does.
   */
  resendRange(
    ref: OwnedRef,
    range: {
      readonly from: Date
      /** Published before then; up to now by default. */
      readonly to?: Date | undefined
      readonly states?: readonly ResendableState[] | undefined
      /** The `nextCursor` of the step before; null and none start at `from`. */
      readonly cursor?: string | null | undefined
    },
  ): Promise<ResentRangeStep>
}

/** So many steps over deliveries of other states a page takes at most: then it is shorter than asked for. */
const STEPS = 10
const FIRST_UUID = '00000000-0000-0000-0000-000000000000'

export function createDeliveries(store: DeliveryLog, { open, close }: PageCursors): Deliveries {
  /** The attempts of a page: one more than it holds was asked for, and tells whether there are more. */
  const toAttemptsPage = async (attempts: LoggedAttempt[], limit: number, binding: ListBinding) => {
    const last = attempts.length > limit ? attempts[limit - 1] : undefined
    const place = last && { number: 0, uuid: uuidFromId('att', last.id) }
    return { attempts: attempts.slice(0, limit), nextCursor: await close(place, binding) }
  }

  return {
    async list(named, { state, type, ...query } = {}) {
      const ref = readRef(named)
      const binding = [ref.accountId, ref.mode, 'deliveries', ref.id, state ?? null, type ?? null]
      const { limit, place } = await open(query, binding)
      const page = await fill(limit, place?.number, (before, left) =>
        store.page(ref, { state, type, before, limit: left }),
      )
      const next = page.next === undefined ? undefined : { number: page.next, uuid: FIRST_UUID }
      return { deliveries: page.deliveries, nextCursor: await close(next, binding) }
    },
    find: async (ref, eventId) => store.find(readRef(ref), eventId),
    async ofEvent(event, { state, ...query } = {}) {
      const ref = eventRef(event)
      const binding = [ref.accountId, ref.mode, 'deliveries of event', ref.eventId, state ?? null]
      const { limit, place } = await open(query, binding)
      const page = await fill(limit, place && idFromUuid('sub', place.uuid), (before, left) =>
        store.pageOfEvent(ref, { state, before, limit: left }),
      )
      const next = page.next === undefined ? undefined : { number: 0, uuid: uuidFromId('sub', page.next) }
      return { deliveries: page.deliveries, nextCursor: await close(next, binding) }
    },
    async attempts(named, { eventId, ...query } = {}) {
      const ref = readRef(named)
      const binding = [ref.accountId, ref.mode, 'attempts', ref.id, eventId ?? null]
      const { limit, place } = await open(query, binding)
      const before = place && idFromUuid('att', place.uuid)
      return toAttemptsPage(await store.attempts(ref, { eventId, before, limit: limit + 1 }), limit, binding)
    },
    async attemptsOfEvent(event, query = {}) {
      const ref = eventRef(event)
      const binding = [ref.accountId, ref.mode, 'attempts of event', ref.eventId]
      const { limit, place } = await open(query, binding)
      const before = place && idFromUuid('att', place.uuid)
      return toAttemptsPage(await store.attemptsOfEvent(ref, { before, limit: limit + 1 }), limit, binding)
    },
    resend: async (ref, eventId) => resent(await store.resend(readRef(ref), eventId)),
    async resendRange(named, { from, to, states = ['exhausted'], cursor }) {
      const ref = readRef(named)
      for (const [path, time] of Object.entries({ from, to })) if (time !== undefined) assertDate(path, time)
      const times = [from.toISOString(), to?.toISOString() ?? null]
      const binding = [ref.accountId, ref.mode, 'resent range', ref.id, ...times, ...states]
      const { place } = await open({ cursor }, binding)
      const step = await store.resendRange(ref, { states, from, to, after: place?.number, limit: RANGE_STEP })
      if (step === 'unknown' || step === 'disabled') throw refusal(step)
      const next = step.next === undefined ? undefined : { number: step.next, uuid: FIRST_UUID }
      return { resent: step.resent, reachedAt: step.reachedAt, nextCursor: await close(next, binding) }
    },
  }
}

/** Deliveries that one step of a range looks at. */
const RANGE_STEP = 500

/** Asks for the rest of a page until it is full, there is no more, or enough was looked at. */
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
      return new CallboardError('SUBSCRIPTION_DISABLED', 'The subscription is disabled: enable it first.')
    case 'expired':
      return new CallboardError('EVENT_EXPIRED', 'The event has been removed: its retention is over.')
  }
}

function eventRef(event: OwnedRef): EventRef {
  const { id, ...owner } = readRef(event)
  return { ...owner, eventId: id }
}
