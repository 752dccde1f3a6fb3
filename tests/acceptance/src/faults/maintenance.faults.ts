import { setTimeout as delay } from 'node:timers/promises'
import type { RetentionHorizons, SubscriptionRef } from '@callboard/core/store'
import { verify } from '@callboard/signature'
import type { Received } from '@callboard/testbed'
import { expect } from 'vitest'
import { newCaller, orderPaidEvent } from '../arrange.ts'
import { describeDeliveries, type World } from '../delivery-it.ts'
import { RING } from '../on-each-store.ts'

const WORKING_MS = 20_000
const BATCH = 20
const PERSONS = 50
const DAY_MS = 86_400_000
/** Retention is so short that it removes events that a failing target has not received. */
const HORIZONS: RetentionHorizons = {
  eventsMs: 3_000,
  attemptsMs: DAY_MS,
  responsesMs: 1_000,
  maxResponses: 1_000,
  subscriptionsMs: 1_000,
  auditMs: 1_000,
}

/**
 * Repeats `work` in the background. Returns a function that stops the repetition and resolves with the number of
 * rounds, or rejects if `work` failed.
 */
function keepDoing(work: () => Promise<unknown>): () => Promise<number> {
  let stopped = false
  const run = async (): Promise<number> => {
    let times = 0
    for (; !stopped; times++) {
      await work()
      await delay(5)
    }
    return times
  }
  const running = run()
  // Without this, an early rejection would be unhandled, because `running` is awaited only after the stop.
  running.catch(() => undefined)
  return () => {
    stopped = true
    return running
  }
}

/** Counts a subscription's expired deliveries. Some are stored as ranges of the feed, others as attempts. */
async function expiredOf({ callboard, fixture }: World<{ query: Query }>, ref: SubscriptionRef): Promise<number> {
  const ranges = await callboard.retention.expired({ ...ref, subscriptionId: ref.id })
  const { rows } = await fixture.query(`select count(*)::int as n from callboard.attempts where outcome = 'expired'`)
  return ranges.reduce((sum, { deliveries }) => sum + deliveries, Number(rows[0]?.['n']))
}

type Query = (text: string) => Promise<{ rows: Record<string, unknown>[] }>

describeDeliveries('maintenance under load', {
  postgres: (it) => {
    it('loses nothing, shows personal data only where allowed, and keeps every signature valid', async ({ world }) => {
      const { receiver, fixture, path } = world
      const [people, nobody, failing] = [path('people'), path('nobody'), path('failing')]
      receiver.answer(failing, { status: 500, body: 'Ada <ada@example.com>' })
      const stranger = await newCaller(world.callboard)
      const subscriptions = new Map([
        [people, await world.subscribe(people)],
        [nobody, await world.subscribe(nobody, stranger)],
        [failing, await world.subscribe(failing)],
      ])
      const rings = (['k1', 'k2'] as const).map((current) => world.open({ secretKeys: { current, keys: RING } }))
      const [first, second] = rings
      await world.work({ retrySchedule: [100, 100], name: 'w1' }, first)
      await world.work({ retrySchedule: [100, 100], name: 'w2' }, second)

      let turn = 0
      let erased = 0
      const jobs = {
        retention: keepDoing(() => fixture.store.maintenance.retain(HORIZONS, 20)),
        erasure: keepDoing(async () => {
          const personId = `per_${turn++ % PERSONS}`
          erased += (await world.callboard.erasure.person({ accountId: 'acc', personId })).events
        }),
        rewrapping: keepDoing(async () => {
          for (const facade of rings) expect(await facade.subscriptions.rewrapSecrets()).toMatchObject({ unopened: 0 })
        }),
      }

      const behind = async (): Promise<number> => {
        const { rows } = await fixture.query(`
select coalesce(max(l.head - l.settled_through), 0)::int as n
from callboard.lanes l join callboard.subscriptions s on s.id = l.subscription_id
where s.target_url not like '%failing'`)
        return Number(rows[0]?.['n'])
      }
      const ids: string[] = []
      const until = performance.now() + WORKING_MS
      for (let published = 0; performance.now() < until; published += BATCH) {
        const events = Array.from({ length: BATCH }, (_, index) => {
          const person = { entity_id: `per_${(published + index) % PERSONS}`, name: 'Ada', email: 'ada@example.com' }
          return orderPaidEvent({ data: { order: { id: `ord_${published + index}`, buyer: person } } })
        })
        ids.push(...(await world.callboard.publishMany(events)).map(({ id }) => id))
        // Publishes no faster than events are delivered. Otherwise, on a slow machine, retention would remove most
        // events before they are delivered.
        do await delay(50)
        while ((await behind()) > 5 * BATCH)
      }
      const times: Record<string, number> = {}
      for (const [name, stop] of Object.entries(jobs)) times[name] = await stop()

      const waiting = `
select (select count(*) from callboard.outbox)::int as outbox, (select count(*) from callboard.lanes l join callboard.subscriptions s on s.id = l.subscription_id
  where s.target_url not like '%failing' and (l.state = 'leased' or l.head > l.settled_through))::int as lanes`
      await expect
        .poll(async () => (await fixture.query(waiting)).rows[0], { timeout: 60_000, interval: 50 })
        .toEqual({ outbox: 0, lanes: 0 })

      for (const healthy of [people, nobody]) {
        const arrived = new Set(receiver.at(healthy).map(({ headers }) => String(headers['webhook-id'])))
        const missing = ids.filter((id) => !arrived.has(id))
        // As many deliveries expired as did not arrive, so no delivery both arrived and expired.
        const ranges = await world.callboard.retention.expired({
          accountId: 'acc',
          subscriptionId: subscriptions.get(healthy)!.id,
        })
        expect(missing.length, healthy).toBe(ranges.reduce((sum, { deliveries }) => sum + deliveries, 0))
        expect(arrived.size, healthy).toBeGreaterThan(ids.length / 2)
      }
      expect(await expiredOf(world, subscriptions.get(failing)!)).toBeGreaterThan(0)
      expect(receiver.at(people).some(({ body }) => body.includes('ada@example.com'))).toBe(true)
      expect(receiver.at(nobody).filter(({ body }) => /Ada|ada@example/.test(body.toString()))).toEqual([])
      for (const [at, { secret }] of subscriptions)
        await Promise.all(receiver.at(at).map((each) => signed(each, secret)))

      const { rows } = await fixture.query(`
select count(distinct e.id)::int as erased, count(a.response)::int as responses
from callboard.events e left join callboard.attempts a on a.event_id = e.id and a.response <> ''
where e.fingerprint like 'erased.%'`)
      expect(rows).toEqual([{ erased: expect.any(Number), responses: 0 }])
      expect(erased).toBeGreaterThan(ids.length / 2)

      // Erases once more while nothing is being sent, so that no personal data may be left. Then moves the clock past
      // `responsesMs`, for which responses to removed events are kept.
      for (let person = 0; person < PERSONS; person++)
        await world.callboard.erasure.person({ accountId: 'acc', personId: `per_${person}` })
      // From here on, the workers report that their clocks are behind.
      expect(world.errors).toEqual([])
      await fixture.advance(10_000)
      for (let state = 'more'; state !== 'done'; )
        state = (await fixture.store.maintenance.retain(HORIZONS, 1000)).state
      expect(await fixture.everything()).not.toMatch(/ada@example/)
      process.stdout.write(
        `maintenance: ${ids.length} events, ${receiver.at(people).length} and ${receiver.at(nobody).length} deliveries; ${erased} erased; ${JSON.stringify(times)} rounds\n`,
      )
    })
  },
})

async function signed({ headers, body, at }: Received, secret: string): Promise<void> {
  await verify({ headers, body, secret, now: new Date(at) })
}
