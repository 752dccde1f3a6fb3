import type { Catalog, DisabledReason } from '@callboard/core'
import type { Engine } from '@callboard/core/engine'
import type { DeliveryBacklog, Finding, WaitingLanes, WorkSurvey } from '@callboard/core/store'
import { duration } from '../duration.ts'

/** Workers look for work ten times a second. If work has waited longer than this, probably no worker is running. */
const WAITING_MS = 10_000
/** If work has waited longer than this, the warning becomes a problem. */
const STANDING_MS = 60_000
/**
 * Receivers accept a `webhook-timestamp` up to 5 minutes off. These limits are much lower, because the receivers' own
 * clocks may be wrong as well.
 */
const DRIFT_MS = 2_000
const MOST_DRIFT_MS = 60_000
/** The store stops counting a backlog at this number. */
const MOST_COUNTED = 10_000

const START_ONE =
  'Start a worker on this database (`callboard worker`). If one is running, its log says why it makes no progress.'

function verdictOf(waitedMs: number): Finding['verdict'] {
  return waitedMs > STANDING_MS ? 'problem' : waitedMs > WAITING_MS ? 'warning' : 'ok'
}

export function checkClock(aheadMs: number): Finding {
  const apart = Math.abs(aheadMs)
  const check = 'clock'
  if (apart <= DRIFT_MS) return { check, verdict: 'ok', message: 'this process and the database agree' }
  return {
    check,
    verdict: apart > MOST_DRIFT_MS ? 'problem' : 'warning',
    message: `the database is ${duration(apart)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this process`,
    advice: 'Synchronise both clocks with NTP: receivers refuse deliveries whose timestamp is over 5 minutes off.',
  }
}

export function checkOutbox({ outbox, outboxAgeMs }: DeliveryBacklog): Finding {
  const check = 'outbox'
  if (outbox === 0) return { check, verdict: 'ok', message: 'no event is waiting to be sequenced' }
  const least = outbox >= MOST_COUNTED ? 'at least ' : ''
  const count = `${least}${outbox} ${outbox === 1 ? 'event is' : 'events are'}`
  const message = `${count} waiting to be sequenced, the oldest for ${duration(outboxAgeMs)}`
  const verdict = verdictOf(outboxAgeMs)
  return { check, verdict, message, advice: verdict === 'ok' ? undefined : START_ONE }
}

export function checkLanes({ due, lapsed }: WorkSurvey): Finding {
  const check = 'workers'
  const waitedMs = Math.max(due.longestMs, lapsed.longestMs)
  const verdict = verdictOf(waitedMs)
  if (verdict === 'ok') return { check, verdict, message: 'no subscription is waiting for a worker' }
  const parts = [
    describeLanes(due, ['subscription has', 'subscriptions have'], 'had work due'),
    describeLanes(lapsed, ['lease has', 'leases have'], 'been expired, with no worker taking over'),
  ].flatMap((part) => part ?? [])
  return { check, verdict, message: parts.join('; '), advice: START_ONE }
}

function describeLanes(
  { lanes, longestMs }: WaitingLanes,
  [one, many]: readonly [string, string],
  what: string,
): string | undefined {
  if (lanes === 0) return undefined
  return `${lanes} ${lanes === 1 ? one : many} ${what}, the longest for ${duration(longestMs)}`
}

/** These reasons mean that a person disabled the subscription. That person knows about it, so there is no warning. */
const BY_PEOPLE: readonly DisabledReason[] = ['account', 'platform']

export function checkDisabled({ disabled }: WorkSurvey): Finding {
  const check = 'subscriptions'
  if (disabled.length === 0) return { check, verdict: 'ok', message: 'none was disabled in the last 7 days' }
  const counts = disabled.map(({ reason, subscriptions }) => `${subscriptions} (${reason})`)
  const message = `disabled in the last 7 days: ${counts.join(', ')}`
  if (disabled.every(({ reason }) => BY_PEOPLE.includes(reason))) return { check, verdict: 'ok', message }
  return {
    check,
    verdict: 'warning',
    message,
    advice:
      'gone: the target answered 410. failing: no success in 5 days. key: its key was revoked or has expired. ' +
      'See `callboard subscriptions list`; once the cause is fixed, run `callboard subscriptions enable <id>`.',
  }
}

/** Checks that the catalogue has every event type that subscriptions name. */
export async function checkCatalog(catalog: Catalog, { store }: Engine): Promise<Finding> {
  const check = 'catalogue'
  const left = (await store.subscriptions.typesInUse()).filter((type) => catalog.get(type) === undefined)
  if (left.length === 0) return { check, verdict: 'ok', message: 'has every event type that subscriptions name' }
  return {
    check,
    verdict: 'warning',
    message: `subscriptions name event types that are not in the catalogue: ${left.join(', ')}`,
    advice: 'Events of these types cannot be published. Restore the types, or tell the subscribers.',
  }
}
