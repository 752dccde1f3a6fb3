import { expect } from 'vitest'
import { orderPaidEvent, thrownBy } from '../arrange.ts'
import { PATIENT } from '../worker-child.ts'
import { describeFaults } from './fault-world.ts'

const AT_ONCE = 50

describeFaults('one event that is published many times', (it) => {
  it.for([
    ['id', { id: 'evt_01jb2c3d4e5f6g7h8j9k0mnpqr' }],
    ['idempotency key', { idempotencyKey: 'order-1-paid' }],
  ] as const)(
    'F23: concurrently with the same %s, is stored once and sent once per subscription; another body is refused',
    async ([, marks], { world }) => {
      const paths = await Promise.all([world.subscribe(), world.subscribe(), world.subscribe()])
      const platforms = Array.from({ length: 5 }, () => world.open().callboard)
      const published = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) =>
          platforms[index % platforms.length]!.publish(orderPaidEvent(marks)),
        ),
      )
      expect(new Set(published.map(({ id }) => id)).size).toBe(1)
      expect(new Set(published.map(({ subject }) => subject.sequence))).toEqual(new Set([1]))
      expect(published.filter(({ repeated }) => !repeated)).toHaveLength(1)
      const { order } = orderPaidEvent().data
      const other = orderPaidEvent({ ...marks, data: { order: { ...order, note: 'another' } } })
      const refused = await Promise.all(platforms.map((callboard) => thrownBy(callboard.publish(other))))
      for (const error of refused) expect(error).toMatchObject({ name: 'CallboardError', code: 'IDEMPOTENCY_CONFLICT' })

      const worker = await world.work({ worker: PATIENT })
      await Promise.all(paths.map(({ path }) => world.receiver.received(path)))
      await world.quiet()
      const ledger = await world.invariants({ survivors: [worker] })
      expect(ledger).toEqual({ owed: 3, delivered: 3, ended: 0, lost: 0, repeated: 0 })
    },
  )
})
