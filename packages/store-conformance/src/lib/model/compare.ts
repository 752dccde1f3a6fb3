import assert from 'node:assert/strict'
import type { ModelSubscription } from './model.ts'
import { secretsNow } from './subscription-steps.ts'
import type { World } from './world.ts'

/** Compares the subscriptions and the outbox. */
export async function compare(world: World): Promise<void> {
  const { store, homes, outbox } = world
  assert.equal((await store.deliveries.backlog()).outbox, outbox, 'events that wait to be sequenced')
  for (const home of homes) {
    const { account, mode, subscriptions } = home
    const listed = await store.subscriptions.list(account.id, mode)
    const seen = listed.map(({ id, state, disabledReason, confirmedBy, secrets }) => {
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
  for (const { subscriptions } of world.homes)
    for (const subscription of subscriptions)
      if (subscription.state !== 'removed') await compareLog(world, subscription)
}

/** Compares all events, with their personal data. */
export async function compareEvents({ store, homes }: World): Promise<void> {
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
      attempts.toReversed(),
      'the attempts, newest first',
    )
  }
}

/**
 * Compares the states of deliveries. A delivery that only the store lists must be `disabled`: its event was published
 * while the subscription was disabled.
 */
async function compareLog(world: World, { ref, deliveries }: ModelSubscription): Promise<void> {
  const request = { state: undefined, type: undefined, before: undefined, limit: 1000 }
  const page = await world.store.deliveryLog.page(ref, request)
  const logged = new Map(page.deliveries.map(({ eventId, state }) => [eventId, state]))
  for (const [eventId, { state }] of deliveries) assert.equal(logged.get(eventId), state, `the state of ${eventId}`)
  for (const [eventId, state] of logged) assert.equal(state, deliveries.get(eventId)?.state ?? 'disabled')
}

export function byId<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
