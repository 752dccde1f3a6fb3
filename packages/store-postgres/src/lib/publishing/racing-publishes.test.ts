import type { EventDraft } from '@callboard/core/store'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventDraft } from '../../testing/inputs.ts'
import { migratedPool, waiting } from '../../testing/migrated-store.ts'
import type { PostgresStore } from '../postgres-store.ts'

let server: TestPostgres
let pool: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
  ;({ pool, store } = await migratedPool(server))
})

afterAll(() => server.stop())

/** Publishes `first` in an open transaction, starts `second`, and commits once `second` waits for it. */
async function race<Result>(first: EventDraft, second: () => Promise<Result>): Promise<PromiseSettledResult<Result>> {
  const winner = await pool.connect()
  await winner.query('begin')
  await store.events.publishDrafts([first], winner)
  const racing = Promise.allSettled([second()])
  await waiting(pool, 1)
  await winner.query('commit')
  winner.release()
  const [result] = await racing
  return result
}

async function sequences(subject: string): Promise<number[]> {
  const { rows } = await pool.query(
    'select sequence::int as n from callboard.events where subject_id = $1 order by 1',
    [subject],
  )
  return rows.map(({ n }) => n)
}

describe('two publishes with one key, neither of them committed yet', () => {
  it('store one event and waste no sequence', async () => {
    const result = await race(eventDraft('s1', 'k1'), () => store.events.publishDrafts([eventDraft('s1', 'k1')]))
    expect(result).toMatchObject({
      status: 'fulfilled',
      value: [{ outcome: 'known', event: { subject: { sequence: 1 } } }],
    })
    await store.events.publishDrafts([eventDraft('s1')])
    expect(await sequences('s1')).toEqual([1, 2])
  })

  it('leave no gap in the sequences if the losing call has more events after the existing one', async () => {
    const result = await race(eventDraft('s2', 'k2'), () =>
      store.events.publishDrafts([eventDraft('s2', 'k2'), eventDraft('s2', 'k2b'), eventDraft('s2')]),
    )
    expect(result).toMatchObject({
      status: 'fulfilled',
      value: [{ outcome: 'known' }, { outcome: 'stored' }, { outcome: 'stored' }],
    })
    expect(await sequences('s2')).toEqual([1, 2, 3])
  })

  it('store no event of the losing call if it uses the key for a different event', async () => {
    const result = await race(eventDraft('s3', 'k3'), () =>
      store.events.publishDrafts([eventDraft('other'), eventDraft('s3', 'k3', 'y')]),
    )
    expect(result).toMatchObject({ status: 'fulfilled', value: [{ outcome: 'not_stored' }, { outcome: 'conflict' }] })
    expect(await sequences('other')).toEqual([])
    expect(await sequences('s3')).toEqual([1])
  })

  it('leave the caller’s transaction usable if the sequence can be returned', async () => {
    const loser = await pool.connect()
    await loser.query('begin')
    const result = await race(eventDraft('s4', 'k4'), () => store.events.publishDrafts([eventDraft('s4', 'k4')], loser))
    expect(result).toMatchObject({ status: 'fulfilled', value: [{ outcome: 'known' }] })
    await store.events.publishDrafts([eventDraft('s4')], loser)
    await loser.query('commit')
    loser.release()
    expect(await sequences('s4')).toEqual([1, 2])
  })

  it('tell the caller to roll back if continuing would leave a gap', async () => {
    const loser = await pool.connect()
    await loser.query('begin')
    const result = await race(eventDraft('s5', 'k5'), () =>
      store.events.publishDrafts([eventDraft('s5', 'k5'), eventDraft('s5')], loser),
    )
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'TRANSACTION_CONFLICT' } })
    await loser.query('rollback')
    loser.release()
    await store.events.publishDrafts([eventDraft('s5', 'k5'), eventDraft('s5')])
    expect(await sequences('s5')).toEqual([1, 2])
  })

  it('tell the caller to roll back after a serialisation failure of its own transaction', async () => {
    const loser = await pool.connect()
    await loser.query('begin isolation level repeatable read')
    await loser.query('select 1 from callboard.events')
    const result = await race(eventDraft('s6', 'k6'), () => store.events.publishDrafts([eventDraft('s6', 'k6')], loser))
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'TRANSACTION_CONFLICT' } })
    await loser.query('rollback')
    loser.release()
  })
})
