import assert from 'node:assert/strict'
import type { Home, ModelSubscription } from './model.ts'
import { secretsNow } from './subscription-steps.ts'
import { shownState } from './transitions.ts'
import type { World } from './world.ts'

/** Compares the subscriptions and the outbox. */
export async function compare(world: World): Promise<void> {
  const { store, homes, outbox } = world
  assert.equal((await store.deliveries.backlog()).outbox, outbox, 'events that wait to be sequenced')
  for (const home of homes) {
    const { account, mode, subscriptions } = home
    const listed = await store.subscriptions.list(account.id, mode)
    const own = listed.filter(({ id }) => id !== home.reader.id)
    const seen = own.map(({ id, state, disabledReason, confirmedBy, secrets }) => {
      return { id, state, reason: disabledReason, confirmedBy, secrets: secrets.map(({ sealed }) => sealed) }
    })
    const kept = subscriptions
      .filter(({ state }) => state !== 'removed')
      .map((subscription) => {
        const { ref, state, reason, confirmedBy } = subscription
        return { id: ref.id, state, reason, confirmedBy, secrets: secretsNow(subscription, world) }
      })
    assert.deepEqual(byId(seen), byId(kept), 'the subscriptions')
  }
}

/** Compares all events, deliveries and attempts. */
export async function compareAll(world: World): Promise<void> {
  await compareEvents(world)
  await compareAttempts(world)
  for (const home of world.homes)
    for (const subscription of home.subscriptions)
      if (subscription.state !== 'removed') await compareLog(world, home, subscription)
}

/** Compares all events, with their personal data. */
export async function compareEvents({ store, homes }: Pick<World, 'store' | 'homes'>): Promise<void> {
  for (const { account, mode, events } of homes) {
    const page = await store.events.page({
      accountId: account.id,
      mode,
      type: undefined,
      after: undefined,
      limit: 1000,
      horizonMs: Number.MAX_SAFE_INTEGER / 1000,
      personalData: true,
    })
    const seen = page.events.map(({ occurredAt: _, ...text }) => text)
    const kept = events.map(({ id, type, body, patch, fingerprint }) => ({ id, type, body, patch, fingerprint }))
    assert.deepEqual(byId(seen), byId(kept), 'the events')
  }
}

/** Compares all attempts, with the responses to them. */
export async function compareAttempts({ store, homes }: World): Promise<void> {
  for (const { ref, attempts } of homes.flatMap(({ subscriptions }) => subscriptions)) {
    const logged = await store.deliveryLog.attempts(ref, { eventId: undefined, before: undefined, limit: 1000 })
    assert.deepEqual(
      logged.map(({ id, eventId, number, outcome, response }) => ({ id, eventId, number, outcome, response })),
      attempts.map(({ startedAt: _, ...attempt }) => attempt).reverse(),
      'the attempts, newest first',
    )
  }
}

/**
 * Compares the states of deliveries. If a delivery was ended and an attempt in flight then succeeded, it is shown as
 * delivered. Once its attempts are removed, it is shown as ended.
 */
async function compareLog(world: World, home: Home, subscription: ModelSubscription): Promise<void> {
  const { ref, deliveries, attempts } = subscription
  const request = { state: undefined, type: undefined, before: undefined, limit: 1000 }
  const page = await world.store.deliveryLog.page(ref, request)
  const logged = new Map(page.deliveries.map(({ eventId, state }) => [eventId, state]))
  for (const { id } of home.events) {
    const delivery = deliveries.get(id)
    const expected = delivery && shownState(subscription, delivery)
    const isForgotten = expected === 'delivered' && !attempts.some(({ eventId }) => eventId === id)
    if (!isForgotten || logged.get(id) !== 'disabled') assert.equal(logged.get(id), expected, `the state of ${id}`)
    logged.delete(id)
  }
  assert.deepEqual([...logged.keys()], [], 'deliveries of removed events')
}

export function byId<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
