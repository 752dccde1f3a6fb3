import { isCallboardError } from '@callboard/core'
import { ENTRY } from '@callboard/store-conformance'
import { startPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import { createPostgresStore } from '../postgres-store.ts'
import { migrate } from '../schema/migrate.ts'
import { isConflict, isPassing } from './failures.ts'

const coded = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code })

describe('isPassing', () => {
  it.each([
    '08006',
    '08P01',
    '57P01',
    '57P03',
    '53300',
    '53100',
    '25006',
    '55000',
    '0A000',
    '57014',
    '25P03',
    '25P04',
    '55P03',
    'ECONNREFUSED',
    'ECONNRESET',
    'CONNECTION_CLOSED',
    'CONNECT_TIMEOUT',
  ])('treats %s as temporary', (code) => {
    expect(isPassing(coded(code))).toBe(true)
  })

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client was closed and is not queryable',
    'Client has encountered a connection error and is not queryable',
  ])('treats %j, which has no code, as temporary', (message) => {
    expect(isPassing(new Error(message))).toBe(true)
  })

  it.each(['42P01', '42501', '23505', '22P02'])('does not treat %s as temporary', (code) => {
    expect(isPassing(coded(code))).toBe(false)
  })

  it('looks into an AggregateError of connection errors', () => {
    expect(isPassing(new AggregateError([coded('ECONNREFUSED')]))).toBe(true)
  })

  it('distinguishes conflicts from other errors', () => {
    expect([coded('40001'), coded('40P01'), coded('08006'), new Error('x')].map(isConflict)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('a store whose database goes away', () => {
  it('throws UNAVAILABLE, keeps the process alive, and works again on new connections', async () => {
    const server = await startPostgres()
    const url = await server.createDatabase()
    const pool = new Pool({ connectionString: url })
    const client = await pool.connect()
    await migrate(client)
    client.release()
    const store = createPostgresStore({ pool })
    await store.accounts.createAccounts([{ id: 'a', name: 'A', entry: ENTRY }])
    const admin = new Pool({ connectionString: url, max: 1 })
    admin.on('error', () => undefined)
    // Ends every connection of the pool, including idle ones. An idle connection reports its loss as an `error` event
    // of the pool, which ends the process if nobody listens.
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and datname = current_database()`,
    )
    const answers = await Promise.allSettled(Array.from({ length: 3 }, () => store.accounts.find('a')))
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(isCallboardError(answer.reason, 'UNAVAILABLE')).toBe(true)
    }
    expect(await store.accounts.find('a')).toEqual({ id: 'a', name: 'A' })
    await admin.end()
    await server.stop()
    await expect(store.accounts.find('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1 })
    await pool.end()
  })

  it('throws UNAVAILABLE for a statement that takes too long', async () => {
    const server = await startPostgres()
    const pool = await server.createPool()
    const client = await pool.connect()
    await migrate(client)
    const store = createPostgresStore({ pool, queryTimeoutMs: 1_000 })
    await client.query('begin; lock table callboard.accounts')
    await expect(store.accounts.find('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await client.query('rollback')
    expect(await store.accounts.find('a')).toBeUndefined()
    client.release()
    await server.stop()
  })
})
