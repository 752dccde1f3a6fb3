import type { DeliveryStore, ResultOf, WorkerAttendance } from '@callboard/core/store'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { attend } from './attendance.ts'

type Takeover = ResultOf<'deliveries', 'attend'>

const CLOCK = new Date(0)
const NOBODY: Takeover = { takenOver: [], limits: [], clock: CLOCK, againInMs: { resting: 1, working: 1 } }

/** Starts attending at a store that gives these answers in turn, and then repeats the last answer. */
function start(...answers: readonly (Takeover | Error)[]) {
  const calls: string[] = []
  const errors: unknown[] = []
  const takeovers: (readonly string[])[] = []
  const learnt: Takeover['limits'][number][] = []
  const clocks: (readonly (Date | number)[])[] = []
  const waiting = new Map<number, () => void>()
  const store: Pick<DeliveryStore, 'attend' | 'releaseLeases'> = {
    async attend({ id, details }) {
      calls.push(`attend ${id} ${details?.waiting.lanes}`)
      waiting.get(calls.length)?.()
      const answer = answers[Math.min(calls.length, answers.length) - 1] ?? NOBODY
      if (answer instanceof Error) throw answer
      return answer
    },
    async releaseLeases(request) {
      calls.push(`leave ${request.of === 'worker' && request.worker}`)
      return 0
    },
  }
  let times = 0
  const worker = (): WorkerAttendance => ({
    id: 'w.1',
    name: 'w',
    details: { waiting: { lanes: ++times, accounts: 1 }, heldBack: [] },
  })
  const attendance = attend({
    store,
    worker,
    isVisiting: () => false,
    now: () => 0,
    onClock: (...clock) => clocks.push(clock),
    onTakeover: (names) => takeovers.push(names),
    onLimits: (limits) => learnt.push(...limits),
    also: async () => undefined,
    onError: (error) => errors.push(error),
  })
  return {
    attendance,
    calls,
    errors,
    takeovers,
    learnt,
    clocks,
    called: (count: number) =>
      calls.length >= count ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(count, resolve)),
  }
}

describe('the attendance of a worker', () => {
  it('is reported to the store repeatedly, each time with the current details, until the worker leaves', async () => {
    const { attendance, calls, called } = start()
    await attendance.begun
    await called(3)
    await attendance.end()
    expect(calls).toEqual(['attend w.1 1', 'attend w.1 2', 'attend w.1 3', 'leave w.1'])
  })

  it('passes on the store’s time, and the time of this process before and after the call', async () => {
    const { attendance, clocks } = start()
    await attendance.end()
    expect(clocks[0]).toEqual([CLOCK, 0, 0])
  })

  it('reports the names of the dead workers whose lanes were taken over', async () => {
    const { attendance, takeovers, called } = start({ ...NOBODY, takenOver: ['a', 'b'] }, NOBODY)
    await called(2)
    await attendance.end()
    expect(takeovers).toEqual([['a', 'b']])
  })

  it('passes on the limits that other workers have learnt', async () => {
    const { attendance, learnt } = start({ ...NOBODY, limits: [['a.example', 90]] }, NOBODY)
    await attendance.begun
    await attendance.end()
    expect(learnt).toEqual([['a.example', 90]])
  })

  it('begins even if the store fails: the error is reported, and the worker attends again', async () => {
    const error = new Error('out of reach')
    const { attendance, calls, errors, called } = start(error, error, NOBODY)
    await attendance.begun
    expect(errors).toEqual([error])
    await called(4)
    await attendance.end()
    expect(errors).toEqual([error, error])
    expect(calls.at(-1)).toBe('leave w.1')
  })

  it('does not wait for the store when it ends while the store is out of reach', async () => {
    const { attendance, calls } = start(new Error('out of reach'))
    await attendance.begun
    await attendance.end()
    expect(calls).toEqual(['attend w.1 1'])
  })
})

describe('the times at which a worker attends', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  /** The times are in milliseconds since the start. */
  async function times() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const since = performance.now()
    const attended: number[] = []
    const state = { lanes: 0, isVisiting: false }
    const attendance = attend({
      store: {
        async attend() {
          attended.push(performance.now() - since)
          return { ...NOBODY, againInMs: { resting: 5_000, working: 250 } }
        },
        releaseLeases: async () => 0,
      },
      worker: () => ({ id: 'w', name: 'w', details: { waiting: { lanes: state.lanes, accounts: 0 }, heldBack: [] } }),
      isVisiting: () => state.isVisiting,
      now: () => 0,
      onClock: () => undefined,
      onTakeover: () => undefined,
      onLimits: () => undefined,
      also: async () => undefined,
      onError: () => undefined,
    })
    await attendance.begun
    const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
    return { attended, state, pass, hurry: attendance.hurry }
  }

  it('are as far apart as the store says, but less than a second after its details changed', async () => {
    const { attended, state, pass } = await times()
    await pass(6_000)
    expect(attended).toEqual([0, 5_000])
    state.lanes = 1
    await pass(5_500)
    expect(attended).toEqual([0, 5_000, 6_250, 11_250])
  })

  it('are close to each other while it holds lanes for longer than a moment', async () => {
    const { attended, state, pass } = await times()
    await pass(1_100)
    state.isVisiting = true
    await pass(50)
    state.isVisiting = false
    await pass(1_000)
    expect(attended).toEqual([0])
    state.isVisiting = true
    await pass(1_000)
    expect(attended).toEqual([0, 2_500, 2_750, 3_000])
  })

  it('come at once when it must hurry', async () => {
    const { attended, pass, hurry } = await times()
    await pass(100)
    hurry()
    await pass(0)
    expect(attended).toEqual([0, 100])
  })
})
