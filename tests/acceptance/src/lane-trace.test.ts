import { runUntilIdle } from '@callboard/delivery'
import { afterEach, describe, expect, vi } from 'vitest'
import { thrownBy } from './arrange.ts'
import { describeDeliveries } from './delivery-it.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describeDeliveries('tracing a lane', {
  postgres(it) {
    describe('CALLBOARD_DEBUG=lane:<id>', () => {
      it('writes each act of this process on that lane to standard error, and none on another', async ({ world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        const other = await world.subscribe(world.path())
        const [event = ''] = await world.publish()
        world.receiver.answer(path, { status: 500 })

        vi.stubEnv('CALLBOARD_DEBUG', `lane:${ref.id}`)
        const lines: string[] = []
        vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
        const traced = world.open({ store: world.fixture.another() })
        const run = () =>
          runUntilIdle(traced, {
            deadlineMs: 60_000,
            retrySchedule: [60_000],
            extraCaCertificates: [world.receiver.ca],
          })
        await run()
        world.receiver.answer(path, { status: 200 })
        await traced.deliveries.resend({ ...ref, subscriptionId: ref.id, eventId: event })
        await traced.deliveries.resend({ ...other, subscriptionId: other.id, eventId: event })
        await run()
        for (const subscription of [ref, other]) await traced.subscriptions.disable({ ...subscription, by: 'platform' })

        const acts = lines.map((line) => {
          const [time = '', lane, ...act] = line.trimEnd().split(' ')
          expect([new Date(time).toISOString(), lane]).toEqual([time, `lane:${ref.id}`])
          return act
            .join(' ')
            .replace(/by \S+:/, 'by a worker:')
            .replace(/\d+ ms$/, 'n ms')
        })
        expect(acts).toEqual([
          'leased by a worker: epoch 1, settledThrough 0, through 1, deliveries 1',
          `attempted ${event}: number 1, failed (500), n ms`,
          'settled epoch 1: settledThrough 1, retries 1, ended 0, released',
          `resend of ${event}: hastened`,
          'leased by a worker: epoch 2, settledThrough 1, through 1, deliveries 1',
          `attempted ${event}: number 2, delivered (200), n ms`,
          'settled epoch 2: settledThrough 1, retries 0, ended 1, released',
          'disable: changed',
        ])
        expect(lines.join('')).not.toMatch(new RegExp(`${other.id}|${path}|127\\.0\\.0\\.1|Ada|whsec_`))
      })

      it('is refused for anything that is not the id of a subscription', async ({ world }) => {
        vi.stubEnv('CALLBOARD_DEBUG', 'everything')
        const error = await thrownBy((async () => world.fixture.another())())
        expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining('lane:') })
      })
    })
  },
})
