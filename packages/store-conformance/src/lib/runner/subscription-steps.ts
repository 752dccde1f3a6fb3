import type { SubscriptionAct, SubscriptionRef } from '@callboard/core/store'
import { ENTRY, newImport, newSubscription } from '../arranging/inputs.ts'
import { countAndResend } from '../lanes/count-and-resend.ts'
import { idOf } from './ids.ts'
import { moveClock } from './publish-steps.ts'
import type { Importing, Step } from './steps.ts'
import { both, type Home, pick, tokenHashOf, type World, waitOf } from './world.ts'

/** The sets of event types that a subscription can have. A step picks one of them by its index, the slot. */
export const SLOTS = [['a'], ['b'], ['a', 'b'], ['b', 'c']] as const
/** The subscription limit per account and mode. */
const LIMITS = { total: 3, newPerMinute: 1e9 }

export async function subscribe(world: World, homeIndex: number, keyIndex: number, slot: number): Promise<void> {
  const home = world.homes[homeIndex]!
  const { id, accountId, mode } = { ...pick(home.keys, keyIndex)!, accountId: home.account.id, mode: home.mode }
  const subscription = newSubscription(
    { id, accountId, mode },
    {
      id: idOf('sub', ++world.made),
      identity: Uint8Array.from([slot]),
      eventTypes: SLOTS[slot]!,
      sealedSecret: `sealed-${world.made}`,
    },
  )
  const [result] = await both(world, 'a new subscription', (store) =>
    store.subscriptions.createSubscription(subscription, LIMITS, ENTRY),
  )
  if (result.outcome === 'created') home.subscriptions.push({ accountId, mode, id: subscription.id })
}

export async function importOne(
  world: World,
  { home: homeIndex, slot, again, personalData, disabledReason }: Importing,
): Promise<void> {
  const { account, mode, subscriptions } = world.homes[homeIndex]!
  const known = again === undefined ? undefined : pick(subscriptions, again)?.id
  const id = known ?? idOf('sub', ++world.made)
  const item = newImport(account, {
    id,
    laneId: id,
    mode,
    identity: Uint8Array.from([slot]),
    eventTypes: SLOTS[slot]!,
    personalData,
    disabledReason,
    createdAt: new Date(world.time),
  })
  const [[result]] = await both(world, 'an imported subscription', (store) =>
    store.subscriptions.importSubscriptions([item], { total: LIMITS.total, dryRun: false }),
  )
  const isStored = result?.outcome === 'imported' || result?.outcome === 'duplicate'
  if (isStored && known === undefined) subscriptions.push({ accountId: account.id, mode, id })
}

/** Changes a subscription, which may have been removed. */
export async function change(world: World, index: number, act: SubscriptionAct): Promise<void> {
  const found = pick(subscriptionsOf(world), index)
  if (found === undefined) return
  await both(world, `the outcome of ${act.act}`, async ({ subscriptions }) => {
    const changed = await subscriptions.changeSubscription(found.ref, act, ENTRY)
    return act.act === 'remove' ? changed.outcome : changed
  })
}

export async function backfill(world: World, index: number, minutes: number): Promise<void> {
  await change(world, index, { act: 'start_backfill', since: new Date(world.time - waitOf(minutes)) })
}

export async function resendOne(world: World, index: number, event: number): Promise<void> {
  const found = pick(subscriptionsOf(world), index)
  if (found === undefined) return
  const eventId = pick(found.home.eventIds, event)
  if (eventId !== undefined) await resend(world, found.ref, eventId)
}

export async function resendRange(
  world: World,
  { subscription, states, minutes }: Extract<Step, { do: 'resendRange' }>,
): Promise<void> {
  const found = pick(subscriptionsOf(world), subscription)
  if (found === undefined) return
  const from = new Date(world.time - waitOf(minutes) - 1)
  const range = { states, from, to: undefined, after: undefined, limit: 1000 }
  await both(world, 'resent as a range', async (store) => {
    const step = await countAndResend(store, found.ref, range)
    // Which deliveries a step looks at is up to the store.
    return typeof step === 'string' ? step : { resent: step.resent, found: step.found }
  })
}

export function subscriptionsOf({ homes }: World): { readonly home: Home; readonly ref: SubscriptionRef }[] {
  return homes.flatMap((home) => home.subscriptions.map((ref) => ({ home, ref })))
}

export async function rotateKey(world: World, homeIndex: number, keyIndex: number, minutes: number): Promise<void> {
  const { account, keys } = world.homes[homeIndex]!
  const id = idOf('key', ++world.made)
  const successor = { id, tokenHash: tokenHashOf(world.made), expiresAt: undefined }
  const request = { accountId: account.id, keyId: pick(keys, keyIndex)!.id, successor, overlapMs: waitOf(minutes) }
  const [rotated] = await both(world, 'a rotated key', ({ keys }) => keys.rotateKey(request, ENTRY))
  if (rotated !== undefined) keys.push(successor)
}

export async function revokeKey(world: World, homeIndex: number, keyIndex: number): Promise<void> {
  const { account, keys } = world.homes[homeIndex]!
  await both(world, 'a revoked key', (store) => store.keys.revokeKey(account.id, pick(keys, keyIndex)!.id, ENTRY))
}

/**
 * Resends deliveries that are due at the same time, one after the other, because the order among them is not promised.
 */
export async function untie(world: World): Promise<void> {
  for (const { ref } of subscriptionsOf(world)) {
    const request = { state: undefined, type: undefined, before: undefined, limit: 1000 }
    const { deliveries } = await world.reference.store.deliveryLog.page(ref, request)
    const timed = deliveries.flatMap(({ eventId, nextAttemptAt }) =>
      nextAttemptAt ? { eventId, at: nextAttemptAt.getTime() } : [],
    )
    for (const { eventId, at } of timed) {
      if (timed.filter((other) => other.at === at).length > 1) await resend(world, ref, eventId)
    }
  }
}

async function resend(world: World, ref: SubscriptionRef, eventId: string): Promise<void> {
  await both(world, 'resent', ({ deliveryLog }) => deliveryLog.resend(ref, eventId, ENTRY))
  await moveClock(world, 1)
}
