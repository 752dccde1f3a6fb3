import type { Call } from './call.ts'
import type { CallOptions } from './client-options.ts'

/** The sending of events from before a subscription. Times are ISO 8601 in UTC. */
export interface Backfill {
  /** `done` when all its events were sent; deliveries that failed may still be retried. */
  readonly state: 'running' | 'done' | 'cancelled'
  readonly since: string
  /** When it was started or last extended. */
  readonly startedAt: string
  /** When the last event that it has passed was published; null before the first. */
  readonly reachedAt: string | null
}

/** The calls that send a subscription events from before it was created or last enabled. */
export interface Backfills {
  /**
   * Sends the events of the subscription's types that were published at `since` (ISO 8601) or later, oldest first,
   * while new events go first. Leaves out events that were delivered or are being retried. An earlier `since` extends a
   * backfill. Rejects with `SUBSCRIPTION_DISABLED`. Needs the scope `webhooks.write`.
   */
  startBackfill(id: string, range: { readonly since: string }, options?: CallOptions): Promise<Backfill>
  /** Returns the last backfill. Rejects with `NOT_FOUND` if there was none. Needs the scope `webhooks.write`. */
  getBackfill(id: string, options?: CallOptions): Promise<Backfill>
  /**
   * Ends the backfill: what is in flight finishes, and nothing more of it is sent. Needs the scope `webhooks.write`.
   */
  cancelBackfill(id: string, options?: CallOptions): Promise<Backfill>
}

/** @param pathOf returns the path of a subscription. */
export function createBackfills(call: Call, pathOf: (subscriptionId: string) => string): Backfills {
  const pathTo = (id: string): string => `${pathOf(id)}/backfill`
  return {
    startBackfill: (id, { since }, options) => call('POST', pathTo(id), options, { since }),
    getBackfill: (id, options) => call('GET', pathTo(id), options),
    cancelBackfill: (id, options) => call('DELETE', pathTo(id), options),
  }
}
