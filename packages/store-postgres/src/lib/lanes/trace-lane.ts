import { CallboardError } from '@callboard/core'
import {
  isSubscriptionId,
  type LaneSettlement,
  type LeasedLane,
  type SettleResult,
  type Store,
} from '@callboard/core/store'

/** The environment variable that names the lane to trace: `lane:` and the id of its subscription. */
const VARIABLE = 'CALLBOARD_DEBUG'

/** Returns the store as it is, or, if the environment names a lane, one that traces this lane on standard error. */
export function tracedByEnvironment<Tx>(store: Store<Tx>): Store<Tx> {
  const { [VARIABLE]: value = '' } = process.env
  if (value === '') return store
  const id = value.replace(/^lane:/, '')
  if (id === value || !isSubscriptionId(id))
    throw new CallboardError('CONFIGURATION_INVALID', `${VARIABLE} must be lane: and the id of a subscription.`)
  return traceLane(store, id, (act) => process.stderr.write(`${new Date().toISOString()} lane:${id} ${act}\n`))
}

/**
 * Wraps the methods that act on lanes, and writes a line for each act of this process on the lane of the subscription
 * `id`. A line has ids, numbers and states only: no personal data, secret, response or URL.
 */
function traceLane<Tx>(store: Store<Tx>, id: string, write: (act: string) => void): Store<Tx> {
  const { deliveries, deliveryLog, subscriptions } = store
  /** The worker in this process that holds a lease on the lane. */
  let holder: string | undefined

  const leased = (worker: string, lanes: readonly LeasedLane[]): boolean => {
    const lane = lanes.find(({ lease }) => lease.id === id)
    if (lane === undefined) return false
    holder = worker
    const positions = `settledThrough ${lane.settledThrough}, through ${lane.through}`
    write(`leased by ${worker}: epoch ${lane.lease.epoch}, ${positions}, deliveries ${lane.deliveries.length}`)
    return true
  }
  const settled = (settlement: LaneSettlement, { fenced, disabled }: SettleResult): void => {
    const { lease, attempts, retries, ended, settledThrough } = settlement
    const isLost = fenced.includes(lease)
    if (isLost || !settlement.keep) holder = undefined
    if (isLost) write(`lost the lease of epoch ${lease.epoch}: nothing was recorded`)
    if (isLost) return
    for (const { eventId, number, outcome, status, reason, durationMs } of attempts)
      write(`attempted ${eventId}: number ${number}, ${outcome} (${status ?? reason}), ${Math.round(durationMs)} ms`)
    const counts = `retries ${retries.length}, ended ${ended.length}`
    const reason = disabled.find((subscription) => subscription.id === id)?.reason
    const state = reason === undefined ? stateAfter(settlement) : `disabled (${reason})`
    write(`settled epoch ${lease.epoch}: settledThrough ${settledThrough}, ${counts}, ${state}`)
  }

  return {
    ...store,
    deliveries: {
      ...deliveries,
      async sequence(limit, lease) {
        const result = await deliveries.sequence(limit, lease)
        if (lease !== undefined) leased(lease.worker, result.lanes)
        return result
      },
      async lease(request) {
        const lanes = await deliveries.lease(request)
        const asked = request.lanes.some((lane) => lane.id === id)
        if (!leased(request.worker, lanes) && asked) write(`not leased by ${request.worker}: no longer due`)
        return lanes
      },
      async checkLeases(leases) {
        const standings = await deliveries.checkLeases(leases)
        for (const [index, { deliverable, disable }] of standings.entries())
          if (leases[index]?.id === id && !deliverable)
            write(
              `may not send: ${disable === undefined ? 'lease lost, disabled or skipped' : `key revoked or expired`}`,
            )
        return standings
      },
      async settle(settlements, failing) {
        const result = await deliveries.settle(settlements, failing)
        for (const settlement of settlements) if (settlement.lease.id === id) settled(settlement, result)
        return result
      },
      async releaseLeases(request) {
        const count = await deliveries.releaseLeases(request)
        // A failed call made no lease that this process knows of.
        if (holder !== undefined && (request.of === 'all' || (request.of === 'worker' && request.worker === holder))) {
          write(`released by ${holder}, with all its leases`)
          holder = undefined
        }
        return count
      },
    },
    deliveryLog: {
      ...deliveryLog,
      async resend(ref, eventId, entry) {
        const outcome = await deliveryLog.resend(ref, eventId, entry)
        if (ref.id === id) write(`resend of ${eventId}: ${outcome}`)
        return outcome
      },
      async resendRange(ref, range, entry) {
        const step = await deliveryLog.resendRange(ref, range, entry)
        if (ref.id === id) write(`resend of a range: ${typeof step === 'string' ? step : `resent ${step.resent}`}`)
        return step
      },
    },
    subscriptions: {
      ...subscriptions,
      async createSubscription(subscription, limits, entry) {
        const result = await subscriptions.createSubscription(subscription, limits, entry)
        if ('subscription' in result && result.subscription.id === id) write(`create: ${result.outcome}`)
        return result
      },
      async changeSubscription(ref, act, entry) {
        const result = await subscriptions.changeSubscription(ref, act, entry)
        if (ref.id === id) write(`${act.act}: ${result.outcome}`)
        return result
      },
    },
  }
}

function stateAfter({ pauseMs, postponeMs = 0, keep }: LaneSettlement): string {
  if (pauseMs > 0) return `paused for ${Math.round(pauseMs)} ms`
  if (postponeMs > 0) return `postponed for ${Math.round(postponeMs)} ms`
  return keep ? 'still leased' : 'released'
}
