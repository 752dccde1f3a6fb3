import type { DeliveryStore } from '@callboard/core/store'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLookout } from './lookout.ts'

type DeliveryBacklog = Awaited<ReturnType<DeliveryStore['backlog']>>

const NOTHING: DeliveryBacklog = { outbox: 0, outboxAgeMs: 0, next: undefined, nextInMs: undefined }
const REST_MS = 1_000
const POLL_MS = 100

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Starts a lookout on a store with this backlog. All times are in milliseconds since the start. */
async function start(first: Partial<DeliveryBacklog> | Error = {}) {
  const startedAt = performance.now()
  const state = { backlog: first, restMs: REST_MS as number | undefined, ok: true, lookMs: 0 }
  const at = (): number => Math.round(performance.now() - startedAt)
  const looks: number[] = []
  const woken = { sequencing: [] as number[], leasing: [] as number[] }
  const stopping = new AbortController()
  const lookout = createLookout({
    store: {
      async backlog() {
        looks.push(at())
        if (state.lookMs > 0) await new Promise((resolve) => setTimeout(resolve, state.lookMs))
        if (state.backlog instanceof Error) throw state.backlog
        return { ...NOTHING, ...state.backlog }
      },
    },
    restMs: () => state.restMs,
    pollMs: POLL_MS,
    leasing: { ok: () => state.ok },
    sequencing: { ok: () => state.ok },
    wakers: {
      sequencing: { wake: () => void woken.sequencing.push(at()) },
      leasing: { wake: () => void woken.leasing.push(at()) },
    },
    stopping: stopping.signal,
    elapsed: () => performance.now(),
    onError: () => undefined,
  })
  const stopped = lookout.run()
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
  await pass(0)
  return {
    ...lookout,
    state,
    looks,
    woken,
    pass,
    async stop() {
      stopping.abort()
      await stopped
    },
  }
}

it('looks once a second while nothing happens, and wakes nobody', async () => {
  const { looks, woken, pass, stop } = await start()
  await pass(3_500)
  expect(looks).toEqual([0, 1_000, 2_000, 3_000])
  expect(woken).toEqual({ sequencing: [], leasing: [] })
  await stop()
})

it('wakes sequencing for an event that no notice told of, and looks again as often as a worker that polls', async () => {
  const { state, looks, woken, pass, stop } = await start()
  state.backlog = { next: 'evt_1', nextInMs: 0 }
  await pass(1_250)
  expect(looks).toEqual([0, 1_000, 1_100, 1_200])
  expect(woken).toEqual({ sequencing: [1_000, 1_100, 1_200], leasing: [] })
  state.backlog = {}
  await pass(2_000)
  expect(looks.slice(4)).toEqual([1_300, 2_300])
  await stop()
})

it('wakes leasing when the first lane is due, without another look before', async () => {
  const { state, looks, woken, pass, stop } = await start({ nextInMs: 730 })
  state.backlog = {}
  await pass(729)
  expect(woken.leasing).toEqual([])
  await pass(200)
  expect(woken.leasing).toEqual([730])
  expect(looks).toEqual([0, 830])
  await stop()
})

it('looks as often as a worker that polls while a lane is due that nobody takes', async () => {
  const { looks, woken, pass, stop } = await start({ nextInMs: 0 })
  await pass(250)
  expect(looks).toEqual([0, 100, 200])
  expect(woken.leasing).toEqual([0, 100, 200])
  await stop()
})

it('wakes leasing when a settled lane is due again, also in a worker that polls', async () => {
  const { onDue, state, woken, pass, stop } = await start()
  onDue(40)
  await pass(50)
  expect(woken.leasing).toEqual([40])
  state.restMs = undefined
  await pass(1_000)
  woken.leasing.length = 0
  onDue(0)
  await pass(0)
  expect(woken.leasing).toHaveLength(1)
  await stop()
})

it('looks soon after a notice, in case another worker needs help, but only once a second', async () => {
  const { onNotice, state, looks, pass, stop } = await start()
  state.restMs = 5_000
  await pass(1_000)
  for (let n = 0; n < 40; n++) {
    await pass(50)
    onNotice()
  }
  await pass(2_000)
  expect(looks).toEqual([0, 1_000, 2_000, 3_000, 4_000])
  await stop()
})

it('spends at most a fortieth of the time on looks', async () => {
  const { state, looks, pass, stop } = await start()
  Object.assign(state, { lookMs: 50, backlog: { nextInMs: 0 } })
  await pass(5_900)
  expect(looks.slice(0, 4)).toEqual([0, 1_000, 3_000, 5_000])
  await stop()
})

it('wakes both loops and goes on when the store is out of reach, and wakes those whose last call failed', async () => {
  const { state, looks, woken, pass, stop } = await start(new Error('out of reach'))
  expect(woken).toEqual({ sequencing: [0], leasing: [0] })
  await pass(100)
  expect(looks.length).toBeGreaterThan(1)
  Object.assign(state, { backlog: {}, ok: false })
  await pass(2_000)
  woken.sequencing.length = 0
  await pass(1_000)
  expect(woken.sequencing).toHaveLength(10)
  state.ok = true
  await stop()
})

it('never looks while the worker polls, and wakes both loops when the worker must poll again', async () => {
  const { state, looks, woken, pass, stop } = await start()
  state.restMs = undefined
  await pass(2_000)
  expect(looks).toEqual([0])
  expect(woken).toEqual({ sequencing: [1_000], leasing: [1_000] })
  await stop()
})
