import type { SqlOwner } from '../health/health-of.ts'
import { LAST_ATTEMPT, rowByKey } from '../sql/row-by-key.ts'
import { wasBefore } from '../subscriptions/was-before.ts'

export interface BackfillEvents {
  readonly owner: SqlOwner
  /** The alias of a row that has the lane's `backfill_` columns. */
  readonly lane: string
  /** SQL for an array of event types. */
  readonly types: string
  /** The column after which the range begins: `backfill_from` for everything that a backfill ever included. */
  readonly from: 'backfill_from' | 'backfill_reached'
  /** SQL for a further condition on the position of `x`; none by default. */
  readonly filter?: string
  /** SQL that tests whether events of type `t.type` are wanted; all by default. */
  readonly ofType?: string
  readonly order: 'oldest first' | 'newest first'
  /** SQL for the most events to return. */
  readonly limit: string
}

/** SQL for the events in the range of a lane's backfill, to select from. None if the lane never had a backfill. */
export function backfillEvents({
  owner,
  lane,
  types,
  from,
  filter = 'true',
  ofType = 'true',
  order,
  limit,
}: BackfillEvents): string {
  const state = from === 'backfill_reached' ? `= 'running'` : 'is not null'
  const direction = order === 'oldest first' ? '' : ' desc'
  return `(
  select f.event_id, t.type, f.position from unnest(${types}) t(type)
  cross join lateral (
    select x.event_id, x.position from callboard.feed x
    where x.account_id = ${owner.accountId} and x.mode = ${owner.mode} and x.type = t.type
      and x.position > ${lane}.${from} and x.position <= ${lane}.backfill_to and ${filter}
    order by x.position${direction} limit ${limit}
  ) f
  where ${lane}.backfill_state ${state} and ${ofType}
  order by f.position${direction} limit ${limit}
)`
}

/** SQL for the event types that a subscription has, or had. */
export function typesEver(row: string): string {
  return `array(select distinct unnest(${row}.event_types || ${row}.previous_types || ${row}.earlier_types))`
}

/** SQL that tests whether the event `known` is in the range that backfills of lane `lane` ever had. */
export function isInBackfill(known: string, lane: string, subscription: string): string {
  return `(
    ${known}.position > ${lane}.backfill_from and ${known}.position <= ${lane}.backfill_to
    and ${known}.type = any (${typesEver(subscription)})
  )`
}

/** SQL that tests whether a backfill of lane `lane` includes the event `event`, whatever the event's type and position. */
export function isBackfillable(event: string, lane: string): string {
  return `(${event}.published_at >= ${lane}.backfill_since and ${wasBefore(event, lane)})`
}

/** SQL that tests whether a delivery was neither delivered nor is retried. `key` is the delivery's key. */
export function isLeft(key: Readonly<Record<'account_id' | 'mode' | 'subscription_id' | 'event_id', string>>): string {
  return `not exists (select from ${rowByKey('retries', key)} r) and not exists (
      select from ${rowByKey('attempts', key, LAST_ATTEMPT)} a where a.outcome = 'delivered'
    )`
}
