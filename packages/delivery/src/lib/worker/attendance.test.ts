import type { DeliveryStore, ResultOf, WorkerAttendance } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import { attend } from './attendance.ts'

type Takeover = ResultOf<'deliveries', 'attend'>

const CLOCK = new Date(0)
const NOBODY: Takeover = { takenOver: [], limits: [], clock: CLOCK }

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
