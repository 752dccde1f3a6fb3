import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import type { Socket } from 'node:net'
import { engineOf } from '@callboard/core/engine'
import { createHttpsTransport } from '@callboard/delivery'
import { afterAll, beforeAll, expect } from 'vitest'
import { actOn } from '../act-on.ts'
import { describeDeliveries, idsOf, type World } from '../delivery-it.ts'
import { RING } from '../on-each-store.ts'
import type { RealFixture } from '../stores.ts'

/**
 * A short deadline for targets that never end their answers. Other targets keep the default, which suits slow machines.
 */
const DEADLINE_MS = 3_000
const START = 'HTTP/1.1 200 OK\r\n'

/** Sends `first` once, and then `again` every 20 ms. */
const drips =
  (first: string, again: string) =>
  (socket: Socket): void => {
    socket.write(first)
    const timer = setInterval(() => socket.write(again), 20)
    socket.once('close', () => clearInterval(timer))
  }

/** Sends `first` once, and then `again` repeatedly, as fast as it is read. */
const floods =
  (first: string, again: string) =>
  (socket: Socket): void => {
    const block = again.repeat(4_096)
    const more = (): void => {
      while (!socket.destroyed && socket.write(block));
      if (!socket.destroyed) socket.once('drain', more)
    }
    socket.write(first)
    more()
  }

/** Publishes to a misbehaving path and to a good one; resolves when both have received their deliveries. */
async function sendToBoth(
  world: World<RealFixture>,
  misbehave: (socket: Socket) => void,
  attempts: number,
  deadlineMs?: number,
): Promise<{ bad: Awaited<ReturnType<typeof world.attempts>>; id: string | undefined }> {
  const [bad, good] = [world.path('bad'), world.path('good')]
  const ref = await world.subscribe(bad)
  await world.subscribe(good)
  // On a reused connection, a request that is reset would be sent again within the same attempt.
  world.receiver.answer(good, { headers: { connection: 'close' } })
  world.receiver.answer(bad, { misbehave }, {})
  const [id] = await world.publish()
  const worker = await world.work({ deadlineMs, retrySchedule: [0] })
  await world.receiver.received(good)
  await world.recorded(ref, attempts)
  await worker.stop()
  expect(idsOf(world.receiver.at(good))).toEqual([id])
  expect(idsOf(world.receiver.at(bad))).toEqual(Array.from({ length: attempts }, () => id))
  return { bad: await world.attempts(ref), id }
}

let names: UdpSocket
let nameServer: string

/** A name server whose answer depends on the name's first label: NXDOMAIN, SERVFAIL, silence, or 127.0.0.1. */
beforeAll(async () => {
  names = createSocket('udp4')
  names.on('message', (query, from) => {
    const label = query.subarray(13, 13 + (query[12] ?? 0)).toString()
    if (label === 'silent') return
    const end = query.indexOf(0, 12) + 5
    const isA = query.readUInt16BE(end - 4) === 1
    const rcode = label === 'servfail' ? 2 : label === 'unknown' ? 3 : 0
    const answer = rcode === 0 && isA ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1] : []
    const head = Buffer.from([
      ...query.subarray(0, 2),
      0x81,
      0x80 | rcode,
      0,
      1,
      0,
      answer.length > 0 ? 1 : 0,
      0,
      0,
      0,
      0,
    ])
    names.send(Buffer.concat([head, query.subarray(12, end), Buffer.from(answer)]), from.port, from.address)
  })
  await new Promise<void>((resolve) => names.bind(0, '127.0.0.1', resolve))
  nameServer = `127.0.0.1:${names.address().port}`
})
afterAll(() => void names.close())

describeDeliveries('a target that misbehaves', {
  postgres(it) {
    it('F18: drips its headers; the attempt fails at the deadline, is retried, and delays nobody', async ({
      world,
    }) => {
      const { bad } = await sendToBoth(world, drips(START, 'a: b\r\n'), 2, DEADLINE_MS)
      expect(bad).toMatchObject([
        { number: 1, outcome: 'failed', reason: 'timeout' },
        { number: 2, outcome: 'delivered', status: 200 },
      ])
    })

    it('F18: sends endless headers; the attempt fails long before the deadline and is retried', async ({ world }) => {
      const { bad } = await sendToBoth(world, floods(START, 'a: b\r\n'), 2)
      expect(bad).toMatchObject([
        { number: 1, outcome: 'failed', reason: 'headers' },
        { number: 2, outcome: 'delivered', status: 200 },
      ])
    })

    it.for([
      ['drips its body', drips(`${START}content-length: 99999\r\n\r\n`, '.')],
      ['sends an endless body', floods(`${START}content-length: 999999999\r\n\r\n`, '.')],
    ] as const)(
      'F18: %s; the event counts as delivered, is sent once, and at most 16 KiB of the answer is kept',
      async ([, act], { world }) => {
        const { bad } = await sendToBoth(world, act, 1, DEADLINE_MS)
        expect(bad).toMatchObject([
          { number: 1, outcome: 'delivered', status: 200, response: expect.stringMatching(/^\.{1,16384}$/) },
        ])
      },
    )

    it('F19: resets before its headers; the attempt is retried', async ({ world }) => {
      const { bad } = await sendToBoth(world, (socket) => socket.destroy(), 2)
      expect(bad).toMatchObject([
        { number: 1, outcome: 'failed', reason: 'reset' },
        { number: 2, outcome: 'delivered' },
      ])
    })

    it('F19: resets in the middle of its headers; the attempt is retried', async ({ world }) => {
      const { bad } = await sendToBoth(world, (socket) => void socket.write(START, () => socket.destroy()), 2)
      expect(bad).toMatchObject([
        { number: 1, outcome: 'failed', reason: 'reset' },
        { number: 2, outcome: 'delivered' },
      ])
    })

    it('F19: resets after its headers; the event counts as delivered', async ({ world }) => {
      const act = (socket: Socket): void =>
        void socket.write(`${START}content-length: 9\r\n\r\nhalf`, () => socket.destroy())
      const { bad } = await sendToBoth(world, act, 1)
      expect(bad).toMatchObject([{ number: 1, outcome: 'delivered', status: 200 }])
    })

    it('F20: has a name server that is silent, fails or lacks the name; attempts are retried and delay nobody', async ({
      world,
    }) => {
      const resolver = new Resolver()
      resolver.setServers([nameServer])
      const port = new URL(world.receiver.url('/')).port
      const transport = createHttpsTransport({
        addressPolicy: engineOf(world.callboard).targets,
        extraCaCertificates: [world.receiver.ca],
        lookupTimeoutMs: 500,
        resolve: (name) => resolver.resolve4(name),
      })
      const refs = await Promise.all(
        ['silent', 'servfail', 'unknown'].map((label) =>
          engineOf(world.callboard).apiSubscriptions.create(world.caller, {
            targetUrl: `https://${label}.callboard-target.com:${port}/hook`,
            eventTypes: ['order.paid'],
            integration: 'zapier',
          }),
        ),
      )
      const good = world.path('good')
      const goodRef = await world.subscribe(good)
      const [id] = await world.publish()
      const worker = await world.work({ transport, retrySchedule: [0, 60_000] })
      await world.receiver.received(good)
      for (const ref of refs) await world.recorded(ref, 2)
      await worker.stop()
      await transport.close()
      for (const ref of refs)
        expect(await world.attempts(ref)).toMatchObject([
          { number: 1, outcome: 'failed', reason: 'dns', eventId: id },
          { number: 2, outcome: 'failed', reason: 'dns', eventId: id },
        ])
      expect(await world.attempts(goodRef)).toMatchObject([{ number: 1, outcome: 'delivered' }])
    })
  },
})

describeDeliveries('a delivery that cannot be prepared', {
  postgres(it) {
    it('F28: is exhausted if its secret or event is corrupt, and postponed for another worker if this one lacks the secret’s key', async ({
      world,
    }) => {
      const { callboard, fixture, receiver } = world
      const newer = world.open({ secretKeys: { current: 'k2', keys: { k1: RING.k1, k2: RING.k2 } } })
      const [unknown, corrupt, good] = [world.path('unknown-key'), world.path('corrupt-secret'), world.path('good')]
      const unknownRef = await engineOf(newer).apiSubscriptions.create(world.caller, {
        targetUrl: receiver.url(unknown),
        eventTypes: ['order.paid'],
        integration: 'zapier',
      })
      const corruptRef = await world.subscribe(corrupt)
      await actOn(world.tap.store, corruptRef, { act: 'rotate_secret', sealedSecret: 'v1.k1.AAAA', overlapMs: 0 })
      const goodRef = await world.subscribe(good)
      const [broken] = await world.publish()
      await fixture.query(`update callboard.events set patch = 'no patch'`)
      const [whole] = await world.publish()
      const worker = await world.work({ retrySchedule: [0, 0] }, callboard)
      await world.recorded(corruptRef, 6)
      await world.recorded(goodRef, 4)

      const unprepared = [
        { number: 1, outcome: 'failed', reason: 'unprepared' },
        { number: 2, outcome: 'failed', reason: 'unprepared' },
        { number: 3, outcome: 'exhausted', reason: 'unprepared' },
      ]
      for (const id of [broken, whole]) expect(await world.attempts(corruptRef, id)).toMatchObject(unprepared)
      expect(await world.attempts(goodRef, broken)).toMatchObject(unprepared)
      expect(await world.attempts(goodRef, whole)).toMatchObject([{ number: 1, outcome: 'delivered' }])
      expect(receiver.at(unknown)).toEqual([])
      expect(receiver.at(corrupt)).toEqual([])
      expect(idsOf(receiver.at(good))).toEqual([whole])

      expect(worker.health()).toMatchObject({ postponed: [{ cause: 'key', name: 'k2', lanes: 1 }] })
      expect(await world.attempts(unknownRef)).toEqual([])
      await world.work({ retrySchedule: [0, 0] }, newer)
      await world.recorded(unknownRef, 4)
      expect(await world.attempts(unknownRef, broken)).toMatchObject(unprepared)
      expect(await world.attempts(unknownRef, whole)).toMatchObject([{ number: 1, outcome: 'delivered' }])
    })
  },
})
