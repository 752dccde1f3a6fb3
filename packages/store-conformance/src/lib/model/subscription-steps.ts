import assert from 'node:assert/strict'
import type { DisabledReason } from '@callboard/core'
import { ENABLES_FROM } from '@callboard/core/store'
import { ENTRY } from '../inputs.ts'
import * as acts from '../subscription-acts.ts'
import { idOf } from './ids.ts'
import { type Home, LIMIT, MINUTE, type ModelKey, type ModelSubscription } from './model.ts'
import { disable, enable, isValid, lastSuccessor, newLane, olderEvents, remove } from './transitions.ts'
import { tokenHashOf, type World } from './world.ts'

/**
 * The sets of event types that a subscription of the model can have. A step picks one of them by its index, the slot.
 */
const SLOTS = [['a'], ['b'], ['a', 'b'], ['b', 'c']] as const

/**
 * Converts minutes to a wait in milliseconds. The wait is half a minute shorter, so that it never ends exactly when the
 * model's clock moves.
 */
export function waitOf(minutes: number): number {
  return minutes === 0 ? 0 : minutes * MINUTE - MINUTE / 2
}

/** Picks a subscription and its home. The subscription may have been removed. */
function pickSubscription(
  world: World,
  index: number,
): { readonly home: Home; readonly subscription: ModelSubscription } | undefined {
  const all = world.homes.flatMap((home) => home.subscriptions.map((subscription) => ({ home, subscription })))
  return all[index % Math.max(1, all.length)]
}

export async function subscribe(world: World, homeIndex: number, keyIndex: number, slot: number): Promise<void> {
  const home = world.homes[homeIndex]!
  const key = home.keys[keyIndex % home.keys.length]!
  const present = home.subscriptions.filter(({ state }) => state !== 'removed')
  const same = present.find((each) => each.slot === slot)
  const ref = { accountId: home.account.id, mode: home.mode, id: idOf('sub', ++world.made) }
  const types = SLOTS[slot]!
  const result = await acts.create(
    world.store,
    {
      ...ref,
      source: 'api',
      identity: Uint8Array.from([slot]),
      enablesFrom: ENABLES_FROM.integration,
      targetUrl: 'https://hooks.example.com/1',
      eventTypes: types,
      integration: 'zapier',
      externalRef: undefined,
      apiVersion: 'v',
      sealedSecret: `sealed-${world.made}`,
      confirmedBy: key.id,
      personalData: undefined,
    },
    { total: LIMIT + 1, newPerMinute: 1e9 },
  )
  const confirmedBy = lastSuccessor(home, key.id)
  if (same !== undefined) {
    assert.ok(result.outcome === 'existing' || result.outcome === 'confirmed', 'the same subscription is found')
    assert.equal(result.subscription.id, same.ref.id)
    same.confirmedBy = confirmedBy
    enable(world, home, same, ENABLES_FROM.integration)
    return
  }
  assert.equal(result.outcome, present.length < LIMIT ? 'created' : 'limit_reached')
  if (present.length >= LIMIT) return
  home.subscriptions.push({
    ref,
    types,
    slot,
    secrets: [{ sealed: `sealed-${world.made}`, expiresAt: undefined }],
    confirmedBy,
    state: 'active',
    reason: undefined,
    removedAt: undefined,
    deliveries: new Map(),
    attempts: [],
    expired: 0,
    lane: newLane(0, olderEvents(home, types)),
  })
}

export async function unsubscribe(world: World, index: number): Promise<void> {
  const picked = pickSubscription(world, index)
  if (picked === undefined) return
  const { subscription } = picked
  const outcome = await acts.remove(world.store, subscription.ref)
  assert.equal(outcome, subscription.state === 'removed' ? 'unchanged' : 'changed')
  if (outcome === 'changed') remove(world, subscription)
}

export async function disableSubscription(
  world: World,
  index: number,
  reason: DisabledReason,
  replaces: readonly DisabledReason[],
): Promise<void> {
  const picked = pickSubscription(world, index)
  if (picked === undefined) return
  const { subscription } = picked
  const { state: before, reason: earlier } = subscription
  const outcome = await acts.disable(world.store, subscription.ref, reason, replaces)
  disable(subscription, reason, replaces)
  const isChanged = subscription.reason !== earlier
  assert.equal(outcome, before === 'removed' ? 'unknown' : isChanged ? 'changed' : 'unchanged')
}

export async function enableSubscription(world: World, index: number, from: readonly DisabledReason[]): Promise<void> {
  const picked = pickSubscription(world, index)
  if (picked === undefined) return
  const { home, subscription } = picked
  const before = subscription.state
  const outcome = await acts.enable(world.store, subscription.ref, from)
  enable(world, home, subscription, from)
  const { state } = subscription
  const expected = state === 'disabled' ? 'refused' : before === 'active' ? 'unchanged' : 'changed'
  assert.equal(outcome, state === 'removed' ? 'unknown' : expected)
}

export async function rotateSecret(world: World, index: number, minutes: number): Promise<void> {
  const picked = pickSubscription(world, index)
  if (picked === undefined) return
  const { subscription } = picked
  const sealed = `sealed-${++world.made}`
  const outcome = await acts.rotateSecret(world.store, subscription.ref, sealed, waitOf(minutes))
  assert.equal(outcome, subscription.state === 'removed' ? 'unknown' : 'changed')
  if (outcome === 'unknown') return
  const [former] = subscription.secrets
  subscription.secrets = [
    { sealed, expiresAt: undefined },
    { sealed: former!.sealed, expiresAt: world.time + waitOf(minutes) },
  ]
}

/** The secrets that still sign. */
export function secretsNow({ secrets }: ModelSubscription, { time }: World): string[] {
  return secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > time).map(({ sealed }) => sealed)
}

export async function rotateKey(world: World, homeIndex: number, keyIndex: number, minutes: number): Promise<void> {
  const home = world.homes[homeIndex]!
  const key = home.keys[keyIndex % home.keys.length]!
  const id = idOf('key', ++world.made)
  const tokenHash = tokenHashOf(world.made)
  const record = await world.store.keys.rotate(
    {
      accountId: home.account.id,
      keyId: key.id,
      successor: { id, tokenHash, expiresAt: undefined },
      overlapMs: waitOf(minutes),
    },
    ENTRY,
  )
  const rotates = isValid(key, world) && key.successor === undefined
  assert.equal(record?.id, rotates ? id : undefined, 'rotation of a key')
  if (!rotates) return
  // At most two keys of a chain are valid, so the key that this one replaced ends at once.
  for (const former of home.keys)
    if (former.successor === key.id && isValid(former, world)) former.expiresAt = world.time
  key.successor = id
  key.expiresAt = Math.min(key.expiresAt ?? Number.POSITIVE_INFINITY, world.time + waitOf(minutes))
  home.keys.push({
    id,
    tokenHash,
    personalData: key.personalData,
    expiresAt: undefined,
    revoked: false,
    successor: undefined,
  })
  for (const subscription of confirmedBy(home, key)) subscription.confirmedBy = id
}

export async function revokeKey(world: World, homeIndex: number, keyIndex: number): Promise<void> {
  const home = world.homes[homeIndex]!
  const key = home.keys[keyIndex % home.keys.length]!
  const record = await world.store.keys.revoke(home.account.id, key.id, ENTRY)
  assert.ok(record?.revokedAt !== undefined, 'a revoked key has a revocation time')
  key.revoked = true
  for (const subscription of confirmedBy(home, key)) disable(subscription, 'key')
}

function confirmedBy(home: Home, { id }: ModelKey): ModelSubscription[] {
  return home.subscriptions.filter(
    (subscription) => subscription.state !== 'removed' && subscription.confirmedBy === id,
  )
}
