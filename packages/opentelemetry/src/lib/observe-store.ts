import type { Telemetry } from '@callboard/core/engine'
import { diag, type Meter } from '@opentelemetry/api'

const SECOND = { unit: 's' }

/** Gauges of the store: one look whenever metrics are read. They are not this process's, and not to be added up over processes. */
export function observeStore(meter: Meter): Telemetry['observe'] {
  return (look) => {
    const feedLag = meter.createObservableGauge('callboard.feed.lag', {
      ...SECOND,
      description: 'Age of the oldest event that has no place in the feed yet.',
    })
    const feedWaiting = meter.createObservableGauge('callboard.feed.waiting', {
      unit: '{event}',
      description: 'Events that have no place in the feed yet; 10,000 at most.',
    })
    const laneLag = meter.createObservableGauge('callboard.lane.lag', {
      ...SECOND,
      description: 'How long the subscription that has waited longest for a worker has had something to send.',
    })
    const retries = meter.createObservableGauge('callboard.delivery.retries', {
      unit: '{delivery}',
      description: 'Deliveries that wait for their next try; 100,000 at most.',
    })
    const disabled = meter.createObservableGauge('callboard.subscription.disabled', {
      unit: '{subscription}',
      description: 'Subscriptions that are disabled, by reason.',
    })
    meter.addBatchObservableCallback(
      async (result) => {
        try {
          const gauges = await look()
          result.observe(feedLag, gauges.outboxAgeMs / 1000)
          result.observe(feedWaiting, gauges.outbox)
          result.observe(laneLag, gauges.laneLagMs / 1000)
          result.observe(retries, gauges.retries)
          for (const [reason, count] of Object.entries(gauges.disabled))
            result.observe(disabled, count, { 'callboard.subscription.disabled_reason': reason })
        } catch (error) {
          // Told as a gap in the graph; the store's trouble is told where it meets somebody's work.
          diag.warn('@callboard/opentelemetry could not look at the store', error)
        }
      },
      [feedLag, feedWaiting, laneLag, retries, disabled],
    )
  }
}
