import type { Telemetry } from '@callboard/core/engine'
import { diag, type Meter } from '@opentelemetry/api'

const SECOND = { unit: 's' }

/**
 * Reads the store's gauges each time metrics are collected. Each gauge describes the whole store, so never add up the
 * values of several processes.
 */
export function observeStore(meter: Meter): Telemetry['observe'] {
  return (look) => {
    const feedLag = meter.createObservableGauge('callboard.feed.lag', {
      ...SECOND,
      description: 'Age of the oldest event that is not sequenced yet.',
    })
    const feedWaiting = meter.createObservableGauge('callboard.feed.waiting', {
      unit: '{event}',
      description: 'Events that are not sequenced yet, counted up to 10,000.',
    })
    const laneLag = meter.createObservableGauge('callboard.lane.lag', {
      ...SECOND,
      description: 'Longest time that a subscription with due work has been waiting for a worker.',
    })
    const undelivered = meter.createObservableGauge('callboard.delivery.lag', {
      ...SECOND,
      description: 'Age of the oldest event that has not reached all its subscriptions.',
    })
    const retries = meter.createObservableGauge('callboard.delivery.retries', {
      unit: '{delivery}',
      description: 'Deliveries that are waiting for their next attempt, counted up to 100,000.',
    })
    const disabled = meter.createObservableGauge('callboard.subscription.disabled', {
      unit: '{subscription}',
      description: 'Disabled subscriptions, by reason.',
    })
    const paused = meter.createObservableGauge('callboard.lane.paused', {
      unit: '{subscription}',
      description: 'Subscriptions that are paused because their targets keep failing, counted up to 10,000.',
    })
    const waiting = meter.createObservableGauge('callboard.account.waiting', {
      unit: '{account}',
      description: 'Accounts with due work that waits for its turn.',
    })
    const heldBack = meter.createObservableGauge('callboard.host.held_back', {
      unit: '{host}',
      description: 'Target hosts that are at their limit of concurrent requests while subscriptions wait for them.',
    })
    const postponed = meter.createObservableGauge('callboard.lane.postponed', {
      unit: '{subscription}',
      description: 'Subscriptions that a worker cannot send to, by cause, such as a format version that it lacks.',
    })
    const replicaLag = meter.createObservableGauge('callboard.replica.lag', {
      ...SECOND,
      description: 'How far the replica for page reads lags behind the primary; absent if the replica does not answer.',
    })
    const replicaUsable = meter.createObservableGauge('callboard.replica.usable', {
      unit: '1',
      description: '1 if pages are read from the replica, and 0 if they are read from the primary.',
    })
    meter.addBatchObservableCallback(
      async (result) => {
        try {
          const gauges = await look()
          result.observe(feedLag, gauges.outboxAgeMs / 1000)
          result.observe(feedWaiting, gauges.outbox)
          result.observe(laneLag, gauges.laneLagMs / 1000)
          result.observe(undelivered, gauges.undeliveredMs / 1000)
          result.observe(retries, gauges.retries)
          result.observe(paused, gauges.pausedLanes)
          result.observe(waiting, gauges.waitingAccounts)
          result.observe(heldBack, gauges.heldBackHosts)
          for (const { cause, name, lanes } of gauges.postponed)
            result.observe(postponed, lanes, {
              'callboard.lane.postponed_cause': cause,
              ...(name !== '' && { 'callboard.lane.missing': name }),
            })
          const { lagMs, usable } = gauges.replica ?? {}
          if (lagMs !== undefined) result.observe(replicaLag, lagMs / 1000)
          if (usable !== undefined) result.observe(replicaUsable, usable ? 1 : 0)
          for (const [reason, count] of Object.entries(gauges.disabled))
            result.observe(disabled, count, { 'callboard.subscription.disabled_reason': reason })
        } catch (error) {
          // If the gauges cannot be read, a gap in the graph and a warning are enough, because requests and workers
          // report the errors of a failing store themselves.
          diag.warn('@callboard/opentelemetry could not read the gauges of the store', error)
        }
      },
      [
        feedLag,
        feedWaiting,
        laneLag,
        undelivered,
        retries,
        disabled,
        paused,
        waiting,
        heldBack,
        postponed,
        replicaLag,
        replicaUsable,
      ],
    )
  }
}
