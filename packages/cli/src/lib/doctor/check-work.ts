import type { DisabledReason } from '@callboard/core'
import type { Engine } from '@callboard/core/engine'
import {
  AUTOMATIC_REASONS,
  combineReports,
  type Finding,
  type HeldBackHost,
  type PostponedLanes,
  type Unsequenced,
  type WorkSurvey,
} from '@callboard/core/store'
import { duration } from '../duration.ts'

/**
 * Work that has waited longer than this is reported as a warning. Workers look for work ten times a second, so probably
 * none is running.
 */
const WAITING_MS = 10_000
/** Work that has waited longer than this is reported as a problem. */
const STUCK_MS = 60_000
/**
 * Above the first limit, a difference between the clocks of this process and the database is a warning; above the
 * second, a problem. The limits are far below the 5 minutes that a `webhook-timestamp` may be off, because the
 * receivers' clocks may be wrong as well.
 */
const DRIFT_MS = 2_000
const MOST_DRIFT_MS = 60_000
/** The store stops counting a backlog at this number. */
const MOST_COUNTED = 10_000

const START_ONE =
  'Start a worker on this database (`callboard worker`). If one is running, its log says why it makes no progress.'

const REPLACE_IT =
  'Start a worker on this database: `callboard worker`, or your process that starts one. If a worker has run before, ' +
  'the end of its log says why it stopped.'

const ADD_SLOTS =
  'The workers already serve as many subscriptions as `lanes` and `slowLanes` allow, or make no progress: their logs ' +
  'say which. Start another worker, or increase both options.'
/** At most this many workers and hosts are named. */
const NAMED = 5

function verdictOf(waitedMs: number): Finding['verdict'] {
  return waitedMs > STUCK_MS ? 'problem' : waitedMs > WAITING_MS ? 'warning' : 'ok'
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

export function checkOutbox({ outbox, outboxAgeMs }: Unsequenced): Finding {
  const check = 'outbox'
  if (outbox === 0) return { check, verdict: 'ok', message: 'no event is waiting to be sequenced' }
  const least = outbox >= MOST_COUNTED ? 'at least ' : ''
  const count = `${least}${outbox} ${outbox === 1 ? 'event is' : 'events are'}`
  const message = `${count} waiting to be sequenced, the oldest for ${duration(outboxAgeMs)}`
  const verdict = verdictOf(outboxAgeMs)
  return { check, verdict, message, advice: verdict === 'ok' ? undefined : START_ONE }
}

export function checkLanes(work: WorkSurvey): Finding {
  const { due, lapsed, workers } = work
  const check = 'workers'
  const waitedMs = Math.max(due.longestMs, lapsed.longestMs)
  const verdict = verdictOf(waitedMs)
  if (verdict === 'ok') return { check, verdict, message: 'no subscription is waiting for a worker' }
  const waitForHosts = heldBackBy(work).reduce((sum, { lanes }) => sum + lanes, 0)
  if (lapsed.lanes === 0 && due.lanes <= waitForHosts)
    return {
      check,
      verdict: 'ok',
      message: 'every waiting subscription is held back by its target (see the check "turns")',
    }
  const parts = [
    describeLanes(due, ['subscription has', 'subscriptions have'], 'overdue work'),
    describeLanes(lapsed, ['lease has', 'leases have'], 'expired without another worker taking over'),
  ].flatMap((part) => part ?? [])
  return { check, verdict, message: parts.join('; '), advice: workers.length === 0 ? START_ONE : ADD_SLOTS }
}

export function checkAttendance({ workers, lost, due, lapsed, clock }: WorkSurvey): Finding {
  const check = 'attendance'
  const age = (date: Date): string => duration(Math.max(0, clock.getTime() - date.getTime()))
  if (workers.length === 0) {
    const [last] = lost
    const message = 'no worker is running'
    if (last !== undefined)
      return {
        ...{ check, verdict: 'problem', advice: REPLACE_IT },
        message: `${message}: ${last.name} was last seen ${age(last.lastAt)} ago, and did not report that it was stopping`,
      }
    // A platform that uses `runUntilIdle` has no worker between two runs. That is no problem as long as no work waits
    // for long.
    if (verdictOf(Math.max(due.longestMs, lapsed.longestMs)) === 'ok') return { check, verdict: 'ok', message }
    return { check, verdict: 'problem', message, advice: REPLACE_IT }
  }
  const named = workers.map(({ name, since, lastAt }) => `${name} (for ${age(since)}, last seen ${age(lastAt)} ago)`)
  const count = workers.length === 1 ? '1 worker is' : `${workers.length} workers are`
  return { check, verdict: 'ok', message: `${count} running: ${firstOf(named)}` }
}

/**
 * Says how many subscriptions are paused, how many accounts wait for their turn, and which hosts are held back and why.
 * The verdict is always `ok`, because a host's limit rises by itself while the host answers well.
 */
export function checkTurns(work: WorkSurvey): Finding {
  const { waiting } = combineReports(work.workers.map(({ report }) => report))
  const hosts = heldBackBy(work).map(
    ({ host, limit, reason, lanes }) => `${host} (${limit} at a time, ${REASONS[reason]}, ${lanes} waiting)`,
  )
  const parts = [
    `${count(work.pausedLanes, ['subscription is', 'subscriptions are'])} paused`,
    `${count(waiting.accounts, ['account waits', 'accounts wait'])} for a turn`,
    hosts.length === 0 ? 'no target is held back' : `held back: ${firstOf(hosts)}`,
  ]
  return { check: 'turns', verdict: 'ok', message: parts.join('; ') }
}

/** Names what running workers cannot send. Other workers may be able to, so the events wait for them. */
export function checkPostponed({ workers }: WorkSurvey): Finding {
  const check = 'postponed'
  const { postponed } = combineReports(workers.map(({ report }) => report))
  if (postponed.length === 0)
    return { check, verdict: 'ok', message: 'no worker lacks anything that it needs to deliver' }
  const parts = postponed.map(
    ({ cause, name, lanes }) => `${OBSTACLES[cause](name)} (${count(lanes, ['subscription', 'subscriptions'])})`,
  )
  const message = `there are workers that cannot deliver for this reason: ${firstOf(parts)}`
  const advice =
    'Finish the deployment: the workers need the catalogue and secretKeys of the newest process. For other reasons, ' +
    'look at the machine that the log of the worker comes from. Until then, the deliveries wait, and none is lost.'
  return { check, verdict: 'warning', message, advice }
}

const OBSTACLES: Readonly<Record<PostponedLanes['cause'], (name: string) => string>> = {
  version: (name) => `no format version ${name} in their catalogue`,
  key: (name) => `no key ${name} in their secretKeys`,
  resources: () => 'no memory, file descriptors or local ports left',
  network: () => 'no network or name server',
  proxy: () => 'no connection to their egress proxy',
  clock: () => 'a clock too wrong to judge certificates',
}

/** Names the workers whose clocks differ from the store's. */
export function checkWorkerClocks({ workers }: WorkSurvey): Finding {
  const check = 'worker clocks'
  const wrong = workers.flatMap(({ name, report: { clockOffMs } }) =>
    clockOffMs === undefined
      ? []
      : `${name} is ${duration(Math.abs(clockOffMs))} ${clockOffMs > 0 ? 'behind' : 'ahead'}`,
  )
  if (wrong.length === 0) return { check, verdict: 'ok', message: 'every running worker agrees with the database' }
  const message = `clocks differ from the database’s: ${firstOf(wrong)}`
  const advice = 'Synchronise the clocks with NTP. Until then, these workers sign by the clock of the database.'
  return { check, verdict: 'warning', message, advice }
}

const REASONS: Readonly<Record<HeldBackHost['reason'], string>> = {
  new: 'has not answered yet',
  failing: 'failing or slow',
  full: 'at its limit',
}

function heldBackBy({ workers }: WorkSurvey): readonly HeldBackHost[] {
  return combineReports(workers.map(({ report }) => report)).heldBack
}

function count(number: number, [one, many]: readonly [string, string]): string {
  return `${number === 0 ? 'no' : number} ${number === 0 || number === 1 ? one : many}`
}

function firstOf(items: readonly string[]): string {
  const rest = items.length - NAMED
  return rest > 0 ? `${items.slice(0, NAMED).join(', ')} and ${rest} more` : items.join(', ')
}

function describeLanes(
  { lanes, longestMs }: WorkSurvey['due'],
  [one, many]: readonly [string, string],
  what: string,
): string | undefined {
  if (lanes === 0) return undefined
  return `${lanes} ${lanes === 1 ? one : many} ${what}, the longest for ${duration(longestMs)}`
}

export function checkDisabled({ disabled }: WorkSurvey): Finding {
  const check = 'subscriptions'
  if (disabled.length === 0) return { check, verdict: 'ok', message: 'none was disabled in the last 7 days' }
  const counts = disabled.map(({ reason, subscriptions }) => `${subscriptions} (${reason})`)
  const message = `disabled in the last 7 days: ${counts.join(', ')}`
  // A person who disabled a subscription knows about it.
  if (!disabled.some(({ reason }) => AUTOMATIC_REASONS.includes(reason))) return { check, verdict: 'ok', message }
  return {
    check,
    verdict: 'warning',
    message,
    advice:
      `${disabled.map(({ reason }) => `${reason}: ${DISABLED[reason]}.`).join(' ')} See \`callboard subscriptions list\`. ` +
      'Where the cause is fixed, run `callboard subscriptions enable <id>`.',
  }
}

const DISABLED: Readonly<Record<DisabledReason, string>> = {
  gone: 'the target answered 410',
  failing: 'no success in 5 days',
  key: 'the key was revoked or has expired',
  account: 'the account disabled it, and can enable it',
  platform: 'the platform disabled it on purpose, and it may stay so',
}

/** Checks that the catalogue has every event type that subscriptions name. */
export async function checkCatalog({ store, formats }: Engine): Promise<Finding> {
  const check = 'catalogue'
  const known = new Set(formats.shapes.map(({ type }) => type))
  const left = (await store.subscriptions.typesInUse()).filter((type) => !known.has(type))
  if (left.length === 0) return { check, verdict: 'ok', message: 'has every event type that subscriptions name' }
  return {
    check,
    verdict: 'warning',
    message: `subscriptions name event types that are not in the catalogue: ${left.join(', ')}`,
    advice: 'Events of these types cannot be published. Restore the types, or tell the subscribers.',
  }
}
