import type { DeliveryRecord, LoggedAttempt } from '@callboard/core'
import { type DeliveryLog, type DeliveryPage, idFromUuid, isId, uuidFromId } from '@callboard/core/store'
import type { Database } from './database.ts'
import { dateOf, optionalDate } from './row-values.ts'
import {
  type AttemptRow,
  listAttempts,
  listAttemptsOfDelivery,
  listAttemptsOfEvent,
} from './statements/list-attempts.ts'
import { pagesOfState } from './statements/list-by-state.ts'
import { type DeliveryRow, findDelivery, pageDeliveries, pageDeliveriesOfEvent } from './statements/list-deliveries.ts'
import { resend } from './statements/resend.ts'
import { resendRange } from './statements/resend-range.ts'
import { lockLane } from './statements/subscriptions/locks.ts'

/** How many deliveries a step looks at, where only some are shown: about 10 ms. */
const STEP = 1000
/** Behind every position and every id. */
const NEWEST_POSITION = '9223372036854775807'
const NEWEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export function createDeliveryLog(database: Database): DeliveryLog {
  return {
    async page(ref, { state, type, before, limit }) {
      if (!isId('sub', ref.id)) return { deliveries: [], next: undefined }
      const from = [ref.accountId, ref.mode, uuidFromId('sub', ref.id), before ?? NEWEST_POSITION]
      if (state !== undefined && state !== 'delivered') {
        // Nearly all that is found where a state is recorded is in it; what is of a type is found only then.
        const most = type === undefined ? 2 * limit + 1 : STEP
        const found = await database.run(pagesOfState[state], [...from, most, type ?? null, limit + 1])
        if (!found[0]?.overflowing) return toPage(found, most, limit, Number)
      }
      const step = state === undefined ? limit + 1 : STEP
      const rows = await database.run(pageDeliveries, [...from, step, type ?? null, state ?? null, limit + 1])
      return toPage(rows, step, limit, Number)
    },
    async find({ accountId, mode, id }, eventId) {
      if (!isId('sub', id) || !isId('evt', eventId)) return undefined
      const key = [accountId, mode, uuidFromId('evt', eventId), uuidFromId('sub', id)]
      return (await database.run(findDelivery, key)).flatMap(toDelivery).at(0)
    },
    async pageOfEvent({ accountId, mode, eventId }, { state, before, limit }) {
      if (!isId('evt', eventId)) return { deliveries: [], next: undefined }
      const rows = await database.run(pageDeliveriesOfEvent, [
        accountId,
        mode,
        uuidFromId('evt', eventId),
        before === undefined ? NEWEST_ID : uuidFromId('sub', before),
        STEP,
        state ?? null,
        limit + 1,
      ])
      return toPage(rows, STEP, limit, (uuid) => idFromUuid('sub', uuid))
    },
    async attempts(ref, { eventId, before, limit }) {
      if (!isId('sub', ref.id) || (eventId !== undefined && !isId('evt', eventId))) return []
      const values = [ref.accountId, ref.mode, uuidFromId('sub', ref.id), attemptValue(before), limit]
      const rows =
        eventId === undefined
          ? await database.run(listAttempts, values)
          : await database.run(listAttemptsOfDelivery, [...values, uuidFromId('evt', eventId)])
      return rows.map(toAttempt)
    },
    async attemptsOfEvent({ accountId, mode, eventId }, { before, limit }) {
      if (!isId('evt', eventId)) return []
      const values = [accountId, mode, uuidFromId('evt', eventId), attemptValue(before), limit]
      return (await database.run(listAttemptsOfEvent, values)).map(toAttempt)
    },
    async resend(ref, eventId) {
      if (!isId('sub', ref.id) || !isId('evt', eventId)) return 'unknown'
      const key = [ref.accountId, ref.mode, uuidFromId('sub', ref.id)]
      return database.transaction(async (tx) => {
        if ((await tx.run(lockLane, key)).length === 0) return 'unknown'
        const [row] = await tx.run(resend, [...key, uuidFromId('evt', eventId)])
        return row?.outcome ?? 'unknown'
      })
    },
    async resendRange(ref, { states, from, to, after, limit }) {
      if (!isId('sub', ref.id)) return 'unknown'
      const key = [ref.accountId, ref.mode, uuidFromId('sub', ref.id)]
      return database.transaction(async (tx) => {
        const [lane] = await tx.run(lockLane, key)
        if (lane === undefined) return 'unknown'
        if (lane.state === 'disabled') return 'disabled'
        const range = [[...states], from.toISOString(), to?.toISOString() ?? null]
        const [row] = await tx.run(resendRange, [...key, after ?? 0, limit, ...range])
        const next = row?.more && row.last_place !== null ? Number(row.last_place) : undefined
        const reachedAt = typeof row?.reached_at === 'number' ? new Date(row.reached_at) : undefined
        return { resent: row?.resent ?? 0, reachedAt, next }
      })
    },
  }
}

function attemptValue(before: string | undefined): string {
  return before === undefined ? NEWEST_ID : uuidFromId('att', before)
}

/** One more than the page holds was asked for: it tells whether there is another, where not all were looked at that a step may. */
function toPage<Place>(
  rows: readonly DeliveryRow[],
  step: number,
  limit: number,
  placeOf: (text: string) => Place,
): DeliveryPage<Place> {
  const [{ looked_at: lookedAt, last_place: lastPlace } = { looked_at: 0, last_place: null }] = rows
  const deliveries = rows.flatMap(toDelivery)
  const last = deliveries.length > limit ? rows[limit - 1]?.place : lookedAt === step ? lastPlace : undefined
  return { deliveries: deliveries.slice(0, limit), next: last ? placeOf(last) : undefined }
}

function toDelivery(row: DeliveryRow): DeliveryRecord[] {
  const { event_id: eventId, subscription_id: subscriptionId, type, state, outcome, started_at: startedAt } = row
  if (eventId === null || subscriptionId === null || type === null || state === null) return []
  return [
    {
      subscriptionId: idFromUuid('sub', subscriptionId),
      eventId: idFromUuid('evt', eventId),
      type,
      state,
      tries: row.tries ?? 0,
      nextTryAt: optionalDate(row.due_at),
      lastAttempt:
        outcome === null || startedAt === null
          ? undefined
          : { outcome, status: row.status ?? undefined, reason: row.reason ?? undefined, at: dateOf(startedAt) },
    },
  ]
}

function toAttempt(row: AttemptRow): LoggedAttempt {
  return {
    id: idFromUuid('att', row.id),
    subscriptionId: idFromUuid('sub', row.subscription_id),
    eventId: idFromUuid('evt', row.event_id),
    number: row.number,
    outcome: row.outcome,
    status: row.status ?? undefined,
    reason: row.reason ?? undefined,
    durationMs: row.duration_ms,
    response: row.response ?? undefined,
    startedAt: dateOf(row.started_at),
  }
}
