import { type HeldBackHost, SILENCE_MS, type Store, type WorkerReport } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, addSubscription, feed } from '../arranging/arrange.ts'
import { attemptOf, leaseAndSettle, leaseLane, retryOf } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable } from '../arranging/subscription-acts.ts'
import { healthOf } from '../health/health-of.ts'
import { overview } from '../health/overview.ts'

const HOUR_MS = 3_600_000
const HOST = 'hooks.example.com'

function heldBack(overrides: Partial<HeldBackHost> = {}): HeldBackHost {
  return { host: HOST, limit: 4, reason: 'full', lanes: 3, ...overrides }
}

/** Attends as the worker with this id, and reports these hosts. */
async function attend(store: Store<unknown>, id: string, ...hosts: readonly HeldBackHost[]): Promise<void> {
  await report(store, id, { waiting: { lanes: 5, accounts: 2 }, heldBack: hosts })
}

async function report(store: Store<unknown>, id: string, details: WorkerReport | undefined): Promise<void> {
  await store.deliveries.attend({ id, name: `name of ${id}`, details })
}

export function describeHoldingBack(it: StoreIt): void {
  describe('a host with a limit of concurrent requests', () => {
    it('holds back a due subscription while a worker that attended within five seconds reports the limit', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      await attend(store, 'w1', heldBack({ host: 'other.example.com' }), heldBack())
      expect((await healthOf(store, subscription)).heldBack).toBeUndefined()
      await feed(store, account, 1)
      expect((await healthOf(store, subscription)).heldBack).toEqual({ limit: 4, reason: 'full' })
      const page = await overview(store, account)
      expect(page.subscriptions.map(({ health }) => health.heldBack)).toEqual([{ limit: 4, reason: 'full' }])
      await advance(SILENCE_MS)
      expect((await healthOf(store, subscription)).heldBack).toBeUndefined()
    })

    it('does not hold back the subscriptions of another host, or of the same host on another port', async ({
      store,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const targetUrl = `https://${HOST}:8443/catch/1`
      const atPort = await addSubscription(store, key, { targetUrl })
      await feed(store, account, 1)
      await attend(store, 'w1', heldBack({ host: `${HOST}:8443`, reason: 'failing', limit: 2 }))
      expect((await healthOf(store, subscription)).heldBack).toBeUndefined()
      expect((await healthOf(store, atPort)).heldBack).toEqual({ limit: 2, reason: 'failing' })
    })

    it('does not hold back a subscription that is being sent to, paused, or disabled', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      await attend(store, 'w1', heldBack())
      await leaseLane(store, { leaseMs: 1 })
      expect((await healthOf(store, subscription)).heldBack).toBeUndefined()
      await store.deliveries.releaseLeases({ of: 'all' })
      expect((await healthOf(store, subscription)).heldBack).toBeDefined()
      const paused = { succeeded: false, failedAttempts: 1, breakerFailures: 9, pauseMs: 60_000 }
      await leaseAndSettle(store, { ...paused, attempts: [attemptOf(event!)], retries: [retryOf(event!)] })
      expect(await healthOf(store, subscription)).toMatchObject({ pausedUntil: expect.any(Date), heldBack: undefined })
      await disable(store, subscription)
      expect((await healthOf(store, subscription)).heldBack).toBeUndefined()
    })

    it('has the sum of the limits that several workers report', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      await attend(store, 'w1', heldBack({ limit: 4, reason: 'new' }))
      await attend(store, 'w2', heldBack({ limit: 2, reason: 'failing' }))
      await attend(store, 'w3')
      expect((await healthOf(store, subscription)).heldBack).toEqual({ limit: 6, reason: 'failing' })
    })

    it('holds nothing back once every worker that reported it has left or reports no hosts', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      await attend(store, 'w1', heldBack())
      await attend(store, 'w2', heldBack())
      await attend(store, 'w1')
      expect((await healthOf(store, subscription)).heldBack).toBeDefined()
      await store.deliveries.releaseLeases({ of: 'worker', worker: 'w2' })
      expect((await healthOf(store, subscription)).heldBack).toBeUndefined()
    })

    it('is read from reports of other versions of the worker, as far as this version understands them', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const strange = [
        'null',
        '[]',
        '"text"',
        '{}',
        '{"heldBack": 1, "waiting": null}',
        `{"heldBack": [null, 1, "${HOST}", {"host": "${HOST}"}], "waiting": {"lanes": -1}}`,
        `{"heldBack": {"host": "${HOST}", "limit": "4", "reason": "full", "lanes": 1}}`,
        `{"heldBack": [{"host": "${HOST}", "limit": 4, "reason": "later", "lanes": 1}], "waiting": {"lanes": 1}}`,
      ]
      for (const [index, text] of strange.entries()) await report(store, `w${index}`, JSON.parse(text))
      await report(store, 'silent', undefined)
      expect((await healthOf(store, subscription)).heldBack).toBeUndefined()
      expect(await store.deliveries.gauges()).toMatchObject({ waitingAccounts: 0, heldBackHosts: 0 })
      const nothing = { waiting: { lanes: 0, accounts: 0 }, heldBack: [] }
      const { workers } = (await store.survey(HOUR_MS)).work!
      expect(workers.map((worker) => worker.report)).toEqual(Array.from({ length: strange.length + 1 }, () => nothing))
      await report(store, 'partly', JSON.parse('{"waiting": {"lanes": 1, "accounts": 1}, "heldBack": "later"}'))
      expect(await store.deliveries.gauges()).toMatchObject({ waitingAccounts: 1, heldBackHosts: 0 })
      const newer = JSON.parse(`{"load": 1, "waiting": {"lanes": 7, "accounts": 3, "since": 1}, "heldBack": [
        {"host": "${HOST}", "limit": 8, "reason": "full", "lanes": 7, "since": 1}
      ]}`)
      await report(store, 'newer', newer)
      expect((await healthOf(store, subscription)).heldBack).toEqual({ limit: 8, reason: 'full' })
      expect(await store.deliveries.gauges()).toMatchObject({ waitingAccounts: 3, heldBackHosts: 1 })
    })
  })

  describe('the workers that attend', () => {
    it('set the gauges: waitingAccounts to the highest number reported, heldBackHosts to the distinct hosts', async ({
      store,
      advance,
    }) => {
      await report(store, 'w1', { waiting: { lanes: 9, accounts: 2 }, heldBack: [heldBack(), heldBack({ host: 'a' })] })
      await report(store, 'w2', { waiting: { lanes: 4, accounts: 3 }, heldBack: [heldBack({ host: 'b' }), heldBack()] })
      expect(await store.deliveries.gauges()).toMatchObject({ waitingAccounts: 3, heldBackHosts: 3 })
      await advance(SILENCE_MS)
      expect(await store.deliveries.gauges()).toMatchObject({ waitingAccounts: 0, heldBackHosts: 0 })
    })

    it('are listed in a survey with their reports, until five seconds after they last attended', async ({
      store,
      advance,
    }) => {
      await attend(store, 'w1', heldBack())
      await advance(2_000)
      await attend(store, 'w2')
      await attend(store, 'w1', heldBack({ limit: 9 }))
      const { workers, clock } = (await store.survey(HOUR_MS)).work!
      const waiting = { lanes: 5, accounts: 2 }
      expect(workers).toMatchObject([
        { name: 'name of w1', report: { waiting, heldBack: [heldBack({ limit: 9 })] } },
        { name: 'name of w2', report: { waiting, heldBack: [] } },
      ])
      const [first, second] = workers
      expect(second!.since.getTime() - first!.since.getTime()).toBeGreaterThanOrEqual(2_000)
      for (const { lastAt } of workers) expect(clock.getTime() - lastAt.getTime()).toBeLessThan(1_000)
      await advance(SILENCE_MS)
      expect((await store.survey(HOUR_MS)).work!.workers).toEqual([])
    })
  })

  describe('paused lanes', () => {
    it('are counted while the pause lasts, but not while they are probed or once they are disabled', async ({
      store,
      advance,
    }) => {
      const count = async () => [
        (await store.deliveries.gauges()).pausedLanes,
        (await store.survey(HOUR_MS)).work!.pausedLanes,
      ]
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      expect(await count()).toEqual([0, 0])
      const paused = { succeeded: false, failedAttempts: 1, breakerFailures: 9, pauseMs: 60_000 }
      const failed = () => ({ ...paused, attempts: [attemptOf(event!)], retries: [retryOf(event!)] })
      await leaseAndSettle(store, failed())
      expect(await count()).toEqual([1, 1])
      await advance(2 * HOUR_MS)
      expect(await count()).toEqual([1, 1])
      await leaseLane(store)
      expect(await count()).toEqual([0, 0])
      await store.deliveries.releaseLeases({ of: 'all' })
      await leaseAndSettle(store, failed())
      expect(await count()).toEqual([1, 1])
      await disable(store, subscription)
      expect(await count()).toEqual([0, 0])
    })
  })
}
