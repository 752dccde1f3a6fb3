import { setTimeout as delay } from 'node:timers/promises'
import { engineOf } from '@callboard/core/engine'
import { expect } from 'vitest'
import { orderPaidEvent } from '../arrange.ts'
import { APRIL, CURRENT, versionedCatalog } from '../versioned-catalog.ts'
import { describeFaults, type FaultWorld } from './fault-world.ts'

const LANES = 40
const EVENTS = 24

/** A platform that publishes events in the new version for subscriptions that need the old one. */
async function publisher(world: FaultWorld) {
  await world.subscribeMany(LANES)
  await world.query('update callboard.subscriptions set api_version = $1', [APRIL])
  return world.open({ catalog: versionedCatalog }).callboard
}

async function leases(world: FaultWorld): Promise<number[]> {
  const { rows } = await world.query('select epoch::int as epoch from callboard.lanes order by subscription_id')
  return rows.map(({ epoch }) => Number(epoch))
}

describeFaults('a rolling deployment of a format version', (it) => {
  it('delays no delivery by more than 3 s while two workers of three do not know the version', async ({ world }) => {
    const callboard = await publisher(world)
    const workers = [
      await world.work({ catalogue: 'april' }),
      await world.work({ catalogue: 'april' }),
      await world.work({ catalogue: 'versioned' }),
    ]
    const publishedAt = new Map<string, number>()
    for (let count = 0; count < EVENTS; count++) {
      const { id } = await callboard.publish(orderPaidEvent())
      publishedAt.set(id, Date.now())
      await delay(400)
    }
    await expect.poll(async () => (await world.log()).length, { timeout: 30_000 }).toBe(LANES * EVENTS)
    await world.quiet()
    const waits = (await world.log()).map(({ id, at }) => at - (publishedAt.get(id) ?? 0)).sort((a, b) => a - b)
    console.info(`${waits.length} deliveries, median ${waits[waits.length >> 1]} ms, longest ${waits.at(-1)} ms`)
    expect(waits.at(-1)).toBeLessThan(3_000)
    const { rows } = await world.query('select from callboard.lanes where breaker_failures > 0 or failed_attempts > 0')
    expect(rows).toEqual([])
    const ledger = await world.invariants({ survivors: workers })
    expect(ledger).toMatchObject({ owed: LANES * EVENTS, delivered: LANES * EVENTS, repeated: 0 })
  })

  it('leases a lane at most once per worker in 30 s while no worker knows the version, and loses nothing', async ({
    world,
  }) => {
    const callboard = await publisher(world)
    const old = [await world.work({ catalogue: 'april' }), await world.work({ catalogue: 'april' })]
    const before = await leases(world)
    for (let count = 0; count < 20; count++) {
      await callboard.publish(orderPaidEvent())
      await delay(1_000)
    }
    const after = await leases(world)
    console.info(
      `leases of each lane in 20 s: ${Math.max(...after.map((epoch, index) => epoch - (before[index] ?? 0)))}`,
    )
    expect(Math.max(...after.map((epoch, index) => epoch - (before[index] ?? 0)))).toBeLessThanOrEqual(2)
    expect((await world.query('select from callboard.attempts union all select from callboard.retries')).rows).toEqual(
      [],
    )
    const { postponed } = await engineOf(callboard).store.deliveries.gauges()
    expect(postponed).toEqual([{ cause: 'version', name: CURRENT, lanes: LANES }])

    const fresh = await world.work({ catalogue: 'versioned' })
    await expect.poll(async () => (await world.log()).length, { timeout: 30_000 }).toBe(LANES * 20)
    await world.quiet()
    const ledger = await world.invariants({ survivors: [...old, fresh] })
    expect(ledger).toMatchObject({ owed: LANES * 20, delivered: LANES * 20, repeated: 0 })
  })
})
