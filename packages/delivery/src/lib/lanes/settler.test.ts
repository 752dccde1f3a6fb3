import { CallboardError } from '@callboard/core'
import { FAILING_RULE, type LaneSettlement, type SettleResult } from '@callboard/core/store'
import { expect, it } from 'vitest'
import { unsentSettlement } from './settlement-of.ts'
import { createSettler, type Settler, type SettlerOptions } from './settler.ts'

const WRITTEN: SettleResult = { fenced: [], disabled: [], failing: [], recovered: [], dueInMs: undefined }
const unavailable = new CallboardError('UNAVAILABLE', 'The store cannot be reached at the moment.')

function settlement(id: string): LaneSettlement {
  const lease = { accountId: 'acc', mode: 'live', id, epoch: 1 } as const
  const standing = { deliverable: true, disable: undefined, personalData: false }
  const target = { targetUrl: '', apiVersion: '2026-10-01' }
  const lane = {
    lease,
    ...target,
    secrets: [],
    standing,
    settledThrough: 0,
    through: 0,
    breakerFailures: 0,
    deliveries: [],
  }
  return unsentSettlement({ ...lane, askedAt: 0, slow: false })
}

function settlerOn(
  settle: (ids: string[]) => Promise<SettleResult>,
  overrides: Partial<SettlerOptions> = {},
): { settler: Settler; errors: unknown[] } {
  const errors: unknown[] = []
  const settler = createSettler({
    store: { settle: (settlements) => settle(settlements.map(({ lease }) => lease.id)) },
    failing: FAILING_RULE,
    leaseMs: 10_000,
    signal: new AbortController().signal,
    onSettled: () => undefined,
    onError: (error) => errors.push(error),
    elapsed: () => 0,
    ...overrides,
  })
  return { settler, errors }
}

it('writes one batch at a time, and all settlements that arrive meanwhile as the next batch', async () => {
  const batches: string[][] = []
  let release = (): void => undefined
  const first = new Promise<void>((resolve) => {
    release = resolve
  })
  const { settler } = settlerOn(async (ids) => {
    batches.push(ids)
    if (batches.length === 1) await first
    return WRITTEN
  })
  const all = ['a', 'b', 'c'].map((id) => settler.settle(settlement(id)))
  expect(batches).toEqual([['a']])
  release()
  expect(await Promise.all(all)).toEqual([true, true, true])
  expect(batches).toEqual([['a'], ['b', 'c']])
})

it('tells how many attempts the last batch recorded', async () => {
  const { settler } = settlerOn(async () => WRITTEN)
  const attempt = { id: 'att', eventId: 'evt', number: 1, outcome: 'delivered', durationMs: 5 } as const
  const attempts = Array.from({ length: 3 }, () => ({ ...attempt, status: 200, reason: undefined, response: '' }))
  await settler.settle({ ...settlement('a'), attempts })
  expect(settler.lastRecorded()).toBe(3)
  await settler.settle(settlement('a'))
  expect(settler.lastRecorded()).toBe(0)
})

it('retries a settlement while the store cannot be reached', async () => {
  let failures = 0
  const { settler, errors } = settlerOn(async () => {
    if (++failures === 1) throw unavailable
    return WRITTEN
  })
  expect(await settler.settle(settlement('a'))).toBe(true)
  expect(errors).toEqual([unavailable])
})

it('gives up only settlements that it could not write within their leases', async () => {
  let time = 0
  let failures = 0
  const { settler } = settlerOn(
    async () => {
      if (++failures > 1) return WRITTEN
      late = settler.settle(settlement('late'))
      throw unavailable
    },
    { elapsed: () => time },
  )
  let late: Promise<boolean> | undefined
  const early = settler.settle(settlement('early'))
  time = 10_000
  expect(await early).toBe(false)
  expect(await late).toBe(true)
})

it('gives up a failed settlement at once when the worker has been aborted', async () => {
  const { settler } = settlerOn(
    async () => {
      throw unavailable
    },
    { signal: AbortSignal.abort() },
  )
  expect(await settler.settle(settlement('a'))).toBe(false)
})

it('writes all other settlements when one can never be written', async () => {
  const fault = new Error('cannot be written')
  const written: string[] = []
  let release = (): void => undefined
  const first = new Promise<void>((resolve) => {
    release = resolve
  })
  const { settler, errors } = settlerOn(async (ids) => {
    if (ids.includes('first')) await first
    if (ids.includes('poison')) throw fault
    written.push(...ids)
    return WRITTEN
  })
  const all = ['first', 'a', 'poison', 'b'].map((id) => settler.settle(settlement(id)))
  release()
  expect(await Promise.all(all)).toEqual([true, true, false, true])
  expect(written).toEqual(['first', 'a', 'b'])
  expect(errors).toEqual([fault, fault])
})
