import type { DeliveryRecord, LoggedAttempt, Subject } from '@callboard/core'
import {
  type DeliveryPage,
  type FailedAttempt,
  idFromUuid,
  isId,
  type RangePlace,
  type ResendRange,
  type ResentStep,
  type Store,
  uuidFromId,
} from '@callboard/core/store'
import { entryJson } from '../audit/record-entry.ts'
import type { Database } from '../database/database.ts'
import { countRange } from '../lanes/count-range.ts'
import type { RangeParameters, RangeRow } from '../lanes/range-selection.ts'
import { resend } from '../lanes/resend.ts'
import { resendRange } from '../lanes/resend-range.ts'
import { type AttemptRow, listAttempts, listAttemptsOfDelivery, listAttemptsOfEvent } from '../reading/list-attempts.ts'
import { pagesOfState } from '../reading/list-by-state.ts'
import { type DeliveryRow, findDelivery, pageDeliveries, pageDeliveriesOfEvent } from '../reading/list-deliveries.ts'
import { type FailureRow, newestFailures } from '../reading/newest-failures.ts'
import type { PageReader } from '../reading/page-reader.ts'
import { feedRange } from '../sequencing/feed-times.ts'
import { dateOf, optionalDate } from '../sql/row-values.ts'
import type { SubscriptionKey } from '../sql/statement.ts'
import { FIRST_ID, LAST_ID } from '../sql/uuid-range.ts'
import { subscriptionKey } from '../subscriptions/subscription-key.ts'
import { publicId, toSubscription } from '../subscriptions/subscription-row.ts'

/** A query with a filter on state or type looks at no more than this many deliveries, which takes about 10 ms. */
const STEP = 1000
/** Greater than every position. */
const NEWEST_POSITION = '9223372036854775807'

/** @param channel where to notify workers of lanes that a resend made due; null: notify nobody. */
export function createDeliveryLog(
  database: Database,
  reader: PageReader,
  channel: string | null,
): Store<unknown>['deliveryLog'] {
  return {
    async page(ref, { state, type, published, before, limit }) {
      const key = await subscriptionKey(database, ref)
      if (key === undefined) return { deliveries: [], next: undefined }
      const page = {
        ...key,
        before: before === undefined ? NEWEST_POSITION : String(before),
        type: type ?? null,
        limit: limit + 1,
      }
      // The primary reads the first page, because this page must show what somebody has just resent or skipped.
      const runner = before === undefined ? database : reader
      if (state !== undefined && state !== 'delivered' && published === undefined) {
        // This query finds deliveries by their state, so it looks at only a few more than the page shows. With a filter
        // on the type it looks at more, because the filter may hide many of them.
        const step = type === undefined ? 2 * limit + 1 : STEP
        const found = await runner.run(pagesOfState[state], { ...page, step })
        if (!found[0]?.overflowing) return toPage(found, step, limit, Number, ref.id)
      }
      const step = state === undefined && published === undefined ? limit + 1 : STEP
      const publishedFrom = published?.from?.toISOString() ?? null
      const publishedBefore = published?.to?.toISOString() ?? null
      const [range] =
        published === undefined
          ? []
          : await runner.run(feedRange, { accountId: key.accountId, from: publishedFrom, to: publishedBefore })
      const rows = await runner.run(pageDeliveries, {
        ...page,
        before: before === undefined ? (range?.before ?? NEWEST_POSITION) : page.before,
        after: range?.after ?? '0',
        step,
        state: state ?? null,
        publishedFrom,
        publishedBefore,
      })
      return toPage(rows, step, limit, Number, ref.id)
    },
    async find(ref, eventId) {
      const key = isId('evt', eventId) ? await subscriptionKey(database, ref) : undefined
      if (key === undefined) return undefined
      const rows = await database.run(findDelivery, { ...key, eventId: uuidFromId('evt', eventId) })
      return rows.flatMap((row) => toDelivery(row, ref.id)).at(0)
    },
    async pageOfEvent({ accountId, mode, eventId }, { state, before, limit }) {
      if (!isId('evt', eventId)) return { deliveries: [], next: undefined }
      const rows = await database.run(pageDeliveriesOfEvent, {
        accountId,
        mode,
        eventId: uuidFromId('evt', eventId),
        before: before === undefined ? LAST_ID : uuidFromId('sub', before),
        step: STEP,
        state: state ?? null,
        limit: limit + 1,
      })
      return toPage(rows, STEP, limit, (uuid) => idFromUuid('sub', uuid))
    },
    async attempts({ accountId, mode, id }, { eventId, before, limit }) {
      const key = id === undefined ? undefined : await subscriptionKey(database, { accountId, mode, id })
      if ((id !== undefined && key === undefined) || (eventId !== undefined && !isId('evt', eventId))) return []
      const event = eventId === undefined ? null : uuidFromId('evt', eventId)
      const page = { accountId, mode, id: key?.id ?? null, eventId: event, before: attemptUuid(before), limit }
      const statement =
        id === undefined ? listAttemptsOfEvent : eventId === undefined ? listAttempts : listAttemptsOfDelivery
      return (await database.run(statement, page)).map((row) => toAttempt(row, id))
    },
    async newestFailures({ accountId, mode }, limit) {
      return (await database.run(newestFailures, { accountId, mode, limit })).map(toFailure)
    },
    async resend(ref, eventId, entry) {
      const key = isId('evt', eventId) ? await subscriptionKey(database, ref) : undefined
      if (key === undefined) return 'unknown'
      const delivery = { ...key, eventId: uuidFromId('evt', eventId) }
      const [row] = await database.run(resend, { ...delivery, entry: entryJson(entry, key.id), channel })
      return row?.outcome ?? 'unknown'
    },
    async resendRange(ref, range, entry) {
      const key = await subscriptionKey(database, ref)
      if (key === undefined) return 'unknown'
      const recorded = range.after === undefined ? entryJson(entry, key.id) : null
      const [row] = await database.run(resendRange, { ...rangeOf(key, range), entry: recorded, channel })
      return toStep(row, range.after)
    },
    async countRange(ref, range) {
      const key = await subscriptionKey(database, ref)
      if (key === undefined) return 'unknown'
      const [row] = await database.run(countRange, rangeOf(key, range))
      return toStep(row, range.after)
    },
  }
}

function rangeOf(key: SubscriptionKey, { states, from, to, after, limit }: ResendRange): RangeParameters {
  return {
    ...key,
    after: after?.position ?? 0,
    afterEvent: after?.eventId === undefined ? FIRST_ID : uuidFromId('evt', after.eventId),
    step: limit,
    states,
    publishedFrom: from.toISOString(),
    publishedBefore: to?.toISOString() ?? null,
  }
}

function toStep(row: RangeRow | undefined, after: RangePlace | undefined): ResentStep | 'disabled' | 'unknown' {
  if (row === undefined) return 'unknown'
  if (row.lane_state === 'disabled') return 'disabled'
  return {
    resent: row.resent ?? 0,
    found: Object.fromEntries(row.found ?? []),
    reachedAt: row.reached_at === null ? undefined : new Date(row.reached_at),
    next: row.more ? placeAfter(row, after) : undefined,
  }
}

function placeAfter(row: RangeRow, before: RangePlace | undefined): RangePlace {
  return {
    position: row.last_place === null ? (before?.position ?? 0) : Number(row.last_place),
    eventId: row.last_event === null ? before?.eventId : idFromUuid('evt', row.last_event),
  }
}

function attemptUuid(before: string | undefined): string {
  return before === undefined ? LAST_ID : uuidFromId('att', before)
}

/**
 * Builds a page. Another page follows if the query returned more deliveries than the page holds, or if it stopped
 * because it had looked at `step` deliveries.
 */
function toPage<Place>(
  rows: readonly DeliveryRow[],
  step: number,
  limit: number,
  placeOf: (text: string) => Place,
  subscriptionId?: string,
): DeliveryPage<Place> {
  const [{ looked_at: lookedAt, last_place: lastPlace } = { looked_at: 0, last_place: null }] = rows
  const deliveries = rows.flatMap((row) => toDelivery(row, subscriptionId))
  const last = deliveries.length > limit ? rows[limit - 1]?.place : lookedAt === step ? lastPlace : undefined
  return { deliveries: deliveries.slice(0, limit), next: last ? placeOf(last) : undefined }
}

/** @param subscriptionId the subscription that the caller has named. */
function toDelivery(row: DeliveryRow, subscriptionId?: string): DeliveryRecord[] {
  const { event_id: eventId, subscription_id: id, type, state, outcome, started_at: startedAt } = row
  if (eventId === null || id === null || type === null || state === null) return []
  return [
    {
      subscriptionId: subscriptionId ?? publicId({ id, own_id: row.own_id ?? null }),
      eventId: idFromUuid('evt', eventId),
      type,
      occurredAt: optionalDate(row.occurred_at),
      subject: subjectOf(row),
      state,
      attempts: row.attempts ?? 0,
      nextAttemptAt: optionalDate(row.due_at),
      lastAttempt:
        outcome === null || startedAt === null
          ? undefined
          : { outcome, status: row.status ?? undefined, reason: row.reason ?? undefined, at: dateOf(startedAt) },
    },
  ]
}

function subjectOf(row: Pick<DeliveryRow, 'subject_type' | 'subject_id'>): Subject | undefined {
  const { subject_type: type, subject_id: id } = row
  return type === null || id === null ? undefined : { type, id }
}

function toFailure(row: FailureRow): FailedAttempt {
  const subject = subjectOf(row)
  return {
    subscription: toSubscription(row),
    attempt: {
      id: idFromUuid('att', row.attempt_id),
      subscriptionId: publicId(row),
      ...toOutcome(row),
    },
    event: subject === undefined || row.type === null ? undefined : { type: row.type, subject },
  }
}

/** @param subscriptionId the subscription that the caller has named. */
function toAttempt(row: AttemptRow, subscriptionId?: string): LoggedAttempt {
  return {
    id: idFromUuid('att', row.id),
    subscriptionId: subscriptionId ?? publicId({ id: row.subscription_id, own_id: row.own_id ?? null }),
    ...toOutcome(row),
    response: row.response ?? undefined,
  }
}

/** The properties of an attempt that both kinds of row hold in the same columns. */
function toOutcome(row: FailureRow | AttemptRow): Omit<LoggedAttempt, 'id' | 'subscriptionId' | 'response'> {
  return {
    eventId: idFromUuid('evt', row.event_id),
    number: row.number,
    outcome: row.outcome,
    status: row.status ?? undefined,
    reason: row.reason ?? undefined,
    durationMs: row.duration_ms,
    startedAt: dateOf(row.started_at),
  }
}
