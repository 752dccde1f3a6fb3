import { describe, expect, it } from 'vitest'
import { createLeaseCalls } from './lease-calls.ts'

const LEASE_MS = 3_000

/** Starts numbering calls on a store that answers each release with the next of these answers, and then with 0. */
function start(...answers: (number | Error)[]) {
  const asked: (readonly number[])[] = []
  const released: number[] = []
  let now = 0
  const calls = createLeaseCalls({
    store: {
      async releaseLeases(request) {
        if (request.of !== 'calls') throw new Error(`released the leases of ${request.of}`)
        const { worker, calls } = request
        expect(worker).toBe('w')
        asked.push(calls)
        const answer = answers.shift() ?? 0
        if (answer instanceof Error) throw answer
        return answer
      },
    },
    worker: 'w',
    leaseMs: LEASE_MS,
    elapsed: () => now,
    onReleased: (lanes) => released.push(lanes),
  })
  return {
    calls,
    asked,
    released,
    pass(ms: number) {
      now += ms
    },
    /** Makes a call that fails, and returns its number. */
    async fail(): Promise<number> {
      let number = 0
      const failing = calls.makeCall(async (call) => {
        number = call
        throw new Error('the answer was lost')
      })
      await expect(failing).rejects.toThrow('the answer was lost')
      return number
    },
  }
}

describe('a call that leases lanes', () => {
  it('gets its own number, and keeps its lanes if it succeeds', async () => {
    const { calls, asked } = start()
    expect(await calls.makeCall(async (call) => call)).not.toBe(await calls.makeCall(async (call) => call))
    await calls.releaseCalls()
    expect(asked).toEqual([])
  })

  it('has its lanes released when it fails, while the lanes of a call in flight are not released', async () => {
    const { calls, asked, released, fail } = start(2)
    let answer = (_: string): void => undefined
    const inFlight = calls.makeCall(() => new Promise((resolve) => (answer = resolve)))
    const failed = await fail()
    await calls.releaseCalls()
    expect(asked).toEqual([[failed]])
    expect(released).toEqual([2])
    answer('lanes')
    expect(await inFlight).toBe('lanes')
  })

  it('has its lanes released every second for the length of a lease if it fails, as it may still run', async () => {
    const { calls, asked, released, pass, fail } = start(0, 0, 1)
    const failed = await fail()
    for (let looks = 0; looks < 100; looks++) {
      await calls.releaseCalls()
      pass(100)
    }
    expect(asked).toEqual([[failed], [failed], [failed], [failed]])
    expect(released).toEqual([1])
  })

  it('has its lanes released at once if it fails, even if another call’s were released a moment ago', async () => {
    const { calls, asked, fail } = start()
    const first = await fail()
    await calls.releaseCalls()
    const second = await fail()
    await calls.releaseCalls()
    expect(asked).toEqual([[first], [second]])
  })

  it('has its lanes released if it fails, even if the store is then out of reach for longer than a lease', async () => {
    const { calls, asked, pass, fail } = start(new Error('down'))
    const failed = await fail()
    await expect(calls.releaseCalls()).rejects.toThrow('down')
    pass(10 * LEASE_MS)
    await calls.releaseCalls()
    pass(LEASE_MS)
    await calls.releaseCalls()
    expect(asked).toEqual([[failed], [failed]])
  })
})
