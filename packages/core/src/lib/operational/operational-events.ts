import type { Catalog } from '../events/catalog.ts'
import type { AnyPublishInput } from '../events/publish-input.ts'
import type { SettleResult } from '../ports/lane-settlement.ts'
import type { SubscriptionRef } from '../ports/subscription-record.ts'

/** Publishes events in the operational account, about the subscriptions of all other accounts. */
export interface OperationalEvents {
  /**
   * Publishes an event for each subscription that a settlement disabled, or found failing or recovered. Leaves out the
   * operational account's own subscriptions, because each of their failures would publish another event for the failing
   * target. Never rejects.
   */
  report(changes: Pick<SettleResult, 'disabled' | 'failing' | 'recovered'>): Promise<void>
}

export interface OperationalEventsOptions {
  readonly accountId: string
  readonly publish: (events: readonly AnyPublishInput<Catalog>[]) => Promise<unknown>
  readonly onError: (error: unknown) => void
}

export function createOperationalEvents({ accountId, publish, onError }: OperationalEventsOptions): OperationalEvents {
  const eventAbout = (
    type: string,
    { id, accountId: owner, mode }: SubscriptionRef,
    data: object = {},
  ): AnyPublishInput<Catalog> => ({
    accountId,
    type,
    subject: { type: 'subscription', id },
    data: { subscription: { id, account_id: owner, mode }, ...data },
  })
  return {
    async report({ disabled, failing, recovered }) {
      const isOthers = (ref: SubscriptionRef): boolean => ref.accountId !== accountId
      const events = [
        ...failing.filter(isOthers).map(({ since, attempts, ...ref }) => {
          return eventAbout('subscription.failing', ref, { since: since.toISOString(), attempts })
        }),
        ...disabled.filter(isOthers).map(({ reason, ...ref }) => eventAbout('subscription.disabled', ref, { reason })),
        ...recovered.filter(isOthers).map((ref) => eventAbout('subscription.recovered', ref)),
      ]
      if (events.length > 0) await publish(events).catch(onError)
    },
  }
}
