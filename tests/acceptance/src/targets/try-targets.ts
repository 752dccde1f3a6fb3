import { type AddressPolicy, createCallboard, createId, type LoggedAttempt } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { startWorker, type WorkerOptions } from '@callboard/delivery'
import { createMemoryStore } from '@callboard/store-memory'
import { orderPaidEvent } from '../arrange.ts'
import { catalog } from '../sample-catalog.ts'
import { tapStore } from '../store-tap.ts'

/**
 * Creates subscriptions directly in the store, which does not check their targets. Lets a worker make one attempt to
 * each target, and returns the attempts.
 */
export async function tryTargets(
  urls: readonly string[],
  targets: AddressPolicy,
  options: WorkerOptions,
): Promise<Map<string, LoggedAttempt>> {
  const tap = tapStore(createMemoryStore())
  const secretKeys = { current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } }
  const callboard = createCallboard({ catalog, store: tap.store, secretKeys, targets })
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
  const { store, secretBox } = engineOf(callboard)
  const ids = new Map<string, string>()
  for (const targetUrl of new Set(urls)) {
    const id = createId('sub')
    ids.set(targetUrl, id)
    await store.subscriptions.createSubscription(
      {
        id,
        accountId: 'acc',
        mode: 'live',
        source: 'dashboard',
        identity: undefined,
        enablesFrom: [],
        targetUrl,
        eventTypes: ['order.paid'],
        integration: 'other',
        externalRef: undefined,
        apiVersion: '2026-10-01',
        sealedSecret: await secretBox.seal(id, `whsec_${Buffer.alloc(32, 7).toString('base64')}`),
        confirmedBy: undefined,
        personalData: false,
      },
      { total: urls.length, newPerMinute: urls.length },
      {
        actor: { type: 'operator', id: 'test' },
        action: 'subscription.created',
        accountId: 'acc',
        mode: 'live',
        objectId: id,
        details: {},
      },
    )
  }
  await callboard.publish(orderPaidEvent())
  const worker = await startWorker(callboard, { retrySchedule: [], pollMs: 5, ...options })
  const attempts = new Map<string, LoggedAttempt>()
  for (const [targetUrl, id] of ids) {
    while (!attempts.has(targetUrl)) {
      const [attempt] = (await callboard.deliveries.attempts({ accountId: 'acc', mode: 'live', subscriptionId: id }))
        .attempts
      if (attempt !== undefined) attempts.set(targetUrl, attempt)
      else await tap.polls(1)
    }
  }
  await worker.stop()
  return attempts
}
