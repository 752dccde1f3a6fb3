import assert from 'node:assert/strict'
import { keysOf } from '../arrange.ts'
import { accountToCreate, draft, ENTRY, newKey, newSubscription } from '../inputs.ts'
import { create } from '../subscription-acts.ts'
import { compareEvents } from './compare.ts'
import { sequence } from './delivery-steps.ts'
import type { Home } from './model.ts'
import { endPublish } from './publish-steps.ts'
import { subscribe } from './subscription-steps.ts'
import { remove } from './transitions.ts'
import { createAccount, type World } from './world.ts'

const PAGE = { before: undefined, limit: 10 }

/** Deletes an account with both its modes. A new account takes its place, so that the run goes on. */
export async function deleteAccount(world: World, homeIndex: number): Promise<void> {
  const { account } = world.homes[homeIndex]!
  const isOwn = (home: Home): boolean => home.account === account
  const homes = world.homes.filter(isOwn)
  // A transaction that commits after the deletion would leave an event behind until the deletion is repeated.
  for (const open of world.open.filter(({ home }) => isOwn(home)))
    await endPublish(world, 'commit', world.open.indexOf(open))
  // If only a part of the outbox was sequenced, the model does not know whose events are left.
  if (world.outbox !== countUnsequenced(world.homes)) await sequence(world, 1000)
  assert.equal(await world.store.accounts.delete(account.id, ENTRY), true)
  world.outbox -= countUnsequenced(homes)
  for (const { subscriptions } of homes) for (const subscription of subscriptions) remove(world, subscription)
  await expectNothing(world, homes)
  const first = world.homes.findIndex(isOwn)
  const created = await createAccount(world, account.name)
  world.homes = world.homes.toSpliced(first, created.length, ...created)
  for (const index of created.keys()) await subscribe(world, first + index, 0, 2)
}

function countUnsequenced(homes: readonly Home[]): number {
  return homes.flatMap(({ events }) => events).filter(({ sequenced }) => !sequenced).length
}

/** Expects that nothing of a deleted account can be read or added, and that its id stays in use. */
async function expectNothing({ store }: World, homes: readonly Home[]): Promise<void> {
  const { account } = homes[0]!
  assert.equal(await store.accounts.find(account.id), undefined, 'a deleted account is not found')
  assert.equal(await store.accounts.rename(account, ENTRY), false, 'a deleted account is not renamed')
  const { created } = await store.accounts.create([accountToCreate(account)])
  assert.deepEqual(created, [], 'the id of a deleted account stays in use')
  assert.equal(await store.accounts.delete(account.id, ENTRY), true, 'a deletion can be repeated')
  assert.deepEqual(await keysOf(store, account.id), [], 'the keys of a deleted account')
  assert.deepEqual(await store.keys.issue(newKey(account), 1, ENTRY), { outcome: 'account_unknown' })
  assert.deepEqual(await store.events.publish([draft(account)]), [{ outcome: 'account_unknown' }])
  for (const home of homes) {
    const { mode, keys, reader, subscriptions } = home
    for (const { tokenHash } of keys) assert.equal(await store.admission.identify(tokenHash), undefined, 'its keys')
    assert.deepEqual(await store.subscriptions.list(account.id, mode), [], 'the subscriptions of a deleted account')
    const subscription = newSubscription({ id: keys[0]!.id, accountId: account.id, mode })
    await assert.rejects(create(store, subscription), { code: 'ACCOUNT_UNKNOWN' })
    for (const ref of [reader, ...subscriptions.map((each) => each.ref)]) {
      assert.equal(await store.subscriptions.find(ref), undefined, `the deleted ${ref.id}`)
      const attempts = await store.deliveryLog.attempts(ref, { ...PAGE, eventId: undefined })
      assert.deepEqual(attempts, [], `the attempts of the deleted ${ref.id}`)
      const page = await store.deliveryLog.page(ref, { ...PAGE, state: undefined, type: undefined })
      assert.deepEqual(page.deliveries, [], `the deliveries of the deleted ${ref.id}`)
      assert.deepEqual(
        await store.maintenance.expiredRanges(ref),
        [],
        `the expired deliveries of the deleted ${ref.id}`,
      )
    }
  }
  await compareEvents({ store, homes: homes.map((home) => ({ ...home, events: [] })) })
}
