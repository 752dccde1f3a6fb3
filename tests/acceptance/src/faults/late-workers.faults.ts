import { expect } from 'vitest'
import { orderPaidEvent } from '../arrange.ts'
import { PATIENT } from '../worker-child.ts'
import { describeFaults } from './fault-world.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

describeFaults('a worker that is late or has a wrong clock', (it) => {
  it('F6: has its stale result fenced out if its event loop was blocked for longer than its lease', async ({
    world,
  }) => {
    const { path } = await world.subscribe()
    await world.publish()
    const blocked = await world.work({ strikes: [{ at: 'after response', does: { blockMs: 12_000 } }] })
    await blocked.reached('after response')
    const next = await world.work({ worker: PATIENT })
    await world.receiver.received(path, 2)
    await world.quiet()
    await expect.poll(() => blocked.logs, { timeout: 20_000 }).toEqual(['leases were lost before they were settled'])
    const ledger = await world.invariants({ unsettled: 1, crashes: 1, survivors: [blocked, next] })
    expect(ledger).toMatchObject({ owed: 1, delivered: 1, repeated: 1 })
    const { rows } = await world.query('select number::int as number, outcome from callboard.attempts')
    expect(rows).toEqual([{ number: 1, outcome: 'delivered' }])
  })

  it.for([
    ['an hour ahead', HOUR_MS],
    ['an hour behind', -HOUR_MS],
  ] as const)('F21: keeps schedule and signatures right if its clock is %s', async ([, clockOffsetMs], { world }) => {
    const { path } = await world.subscribe()
    await world.receiver.answer(path, { status: 500 }, {})
    // The platform runs with the same wrong clock.
    const { callboard } = world.open({ now: () => Date.now() + clockOffsetMs })
    const { id: first } = await callboard.publish(orderPaidEvent())
    const worker = await world.work({ clockOffsetMs, worker: { ...PATIENT, retrySchedule: [10 * MINUTE_MS] } })
    await world.receiver.received(path)
    const failed = async (): Promise<number> => (await world.query('select from callboard.retries')).rows.length
    await expect.poll(failed).toBe(1)

    // Delays vary by a fifth, so a retry that is scheduled after ten minutes comes after eight to twelve.
    await world.advance(7 * MINUTE_MS)
    const { id: second } = await callboard.publish(orderPaidEvent())
    await world.receiver.received(path, 2)
    // Also wait until the delivery is settled, because moving the clock would end its lease.
    const recorded = async (): Promise<number> => (await world.query('select from callboard.attempts')).rows.length
    await expect.poll(recorded).toBe(2)
    await world.advance(6 * MINUTE_MS)
    await world.receiver.received(path, 3)
    await world.quiet()
    expect((await world.receiver.log(path)).map(({ id }) => id)).toEqual([first, second, first])
    const ledger = await world.invariants({ survivors: [worker] })
    expect(ledger).toMatchObject({ owed: 2, delivered: 2, repeated: 0 })
  })
})
