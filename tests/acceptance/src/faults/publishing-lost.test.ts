import { expect } from 'vitest'
import { orderPaidEvent, thrownBy } from '../arrange.ts'
import { PATIENT } from '../worker-child.ts'
import { describeFaults } from './fault-world.ts'

/** An id that the publisher chooses, so that the publish can be repeated. */
const again = { id: 'evt_01jb2c3d4e5f6g7h8j9k0mnpqr' }

describeFaults('a publish whose connection is lost', (it) => {
  it('F7: inside the transaction, fails, leaves nothing, and can be repeated with the same id', async ({ world }) => {
    const { path } = await world.subscribe()
    const { callboard, pool } = world.open()
    const client = await pool.connect()
    client.on('error', () => undefined)
    await client.query('begin')
    await callboard.publish(orderPaidEvent(), { tx: client })
    world.proxy.reset()
    expect(await thrownBy(callboard.publish(orderPaidEvent(), { tx: client }))).toMatchObject({ code: 'UNAVAILABLE' })
    expect(await thrownBy(client.query('commit'))).toBeInstanceOf(Error)
    client.release(true)

    const cut = world.proxy.cutWhen('client', (bytes) => bytes.includes('callboard.publish_event'))
    expect(await thrownBy(callboard.publish(orderPaidEvent(again)))).toMatchObject({ code: 'UNAVAILABLE' })
    await cut
    const worker = await world.work({ worker: PATIENT })
    expect(await callboard.publish(orderPaidEvent(again))).toMatchObject({ ...again, subject: { sequence: 1 } })
    await world.receiver.received(path)
    await world.quiet()
    expect(await world.invariants({ survivors: [worker] })).toMatchObject({ owed: 1, delivered: 1, repeated: 0 })
  })

  it.for([
    { way: 'that never arrived', side: 'client', word: 'commit', events: 0 },
    { way: 'whose answer was lost', side: 'server', word: 'COMMIT', events: 1 },
  ] as const)(
    'F8: at a COMMIT $way, leads to exactly one event once it is repeated with the same id',
    async ({ side, word, events }, { world }) => {
      const { path } = await world.subscribe()
      const { callboard, pool } = world.open()
      const client = await pool.connect()
      client.on('error', () => undefined)
      await client.query('begin')
      const published = await callboard.publish(orderPaidEvent(again), { tx: client })
      const cut = world.proxy.cutWhen(side, (bytes) => bytes.includes(word))
      expect(await thrownBy(client.query('commit'))).toBeInstanceOf(Error)
      await cut
      client.release(true)
      const count = async (): Promise<number> => (await world.query('select from callboard.events')).rows.length
      await expect.poll(count).toBe(events)

      const worker = await world.work({ worker: PATIENT })
      const repeated = await callboard.publish(orderPaidEvent(again))
      expect(repeated).toEqual({ ...published, occurredAt: expect.any(Date), repeated: events === 1 })
      expect(await count()).toBe(1)
      await world.receiver.received(path)
      await world.quiet()
      expect(await world.invariants({ survivors: [worker] })).toMatchObject({ owed: 1, delivered: 1, repeated: 0 })
    },
  )
})
