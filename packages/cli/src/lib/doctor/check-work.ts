import type { Catalog, DisabledReason } from '@callboard/core'
import type { Engine } from '@callboard/core/engine'
import type { DeliveryBacklog, Finding, WaitingLanes, WorkSurvey } from '@callboard/core/store'
import { duration } from '../duration.ts'

/** A worker looks for work ten times a second: what has waited longer than this waits for want of one. */
const WAITING_MS = 10_000
const STANDING_MS = 60_000
/** As receivers allow of `webhook-timestamp`, with room for their own clocks. */
const DRIFT_MS = 2_000
const MOST_DRIFT_MS = 60_000
/** A backlog is not counted any further. */
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
    advice: 'Synchronise both clocks with NTP: receivers refuse deliveries whose timestamp is 5 minutes off.',
  }
}

export function checkOutbox({ outbox, outboxAgeMs }: DeliveryBacklog): Finding {
  const check = 'outbox'
  if (outbox === 0) return { check, verdict: 'ok', message: 'every event has its place in the feed' }
  const count =
    outbox >= MOST_COUNTED
      ? `${MOST_COUNTED} events or more wait`
      : `${outbox} ${outbox === 1 ? 'event waits' : 'events wait'}`
  const message = `${count} for a place in the feed, the oldest for ${duration(outboxAgeMs)}`
  const verdict = verdictOf(outboxAgeMs)
  return { check, verdict, message, advice: verdict === 'ok' ? undefined : START_ONE }
}

export function checkLanes({ due, lapsed }: WorkSurvey): Finding {
  const check = 'workers'
  const waitedMs = Math.max(due.longestMs, lapsed.longestMs)
  const verdict = verdictOf(waitedMs)
  if (verdict === 'ok') return { check, verdict, message: 'no subscription waits for a worker' }
  const parts = [
    told(due, ['subscription has', 'subscriptions have'], 'had work due'),
    told(lapsed, ['lease', 'leases'], 'ran out, and nobody took over'),
  ].flatMap((part) => part ?? [])
  return { check, verdict, message: parts.join('; '), advice: START_ONE }
}

function told(
  { lanes, longestMs }: WaitingLanes,
  [one, many]: readonly [string, string],
  what: string,
): string | undefined {
  return lanes === 0 ? undefined : `${lanes} ${lanes === 1 ? one : many} ${what}, the first for ${duration(longestMs)}`
}

/** Disabled by people, who know about it. */
const BY_PEOPLE: readonly DisabledReason[] = ['account', 'platform']

export function checkDisabled({ disabled }: WorkSurvey): Finding {
  const check = 'subscriptions'
  if (disabled.length === 0) return { check, verdict: 'ok', message: 'none was disabled within 7 days' }
  const message = `disabled within 7 days: ${disabled.map(({ reason, subscriptions }) => `${subscriptions} (${reason})`).join(', ')}`
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

/** Types that subscriptions name and the catalogue does not have (any more). */
export async function checkCatalog(catalog: Catalog, { store }: Engine): Promise<Finding> {
  const check = 'catalogue'
  const left = (await store.subscriptions.typesInUse()).filter((type) => catalog.get(type) === undefined)
  if (left.length === 0) return { check, verdict: 'ok', message: 'has every type that subscriptions name' }
  return {
    check,
    verdict: 'warning',
    message: `subscriptions name event types that the catalogue does not have: ${left.join(', ')}`,
    advice: 'Events of these types cannot be published: put the types back, or tell the subscribers.',
  }
}
