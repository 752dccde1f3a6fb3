import { readFile } from 'node:fs/promises'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RecordedSession, rowsOfResult, toParameter } from '../../testing/recorded-session.ts'
import { migrate } from './migrate.ts'

const LISTS_MIGRATIONS = ['applied-migrations', 'survey-migrations']

// Workers of an earlier release keep running on the newest schema. `testing/record-release.ts` recorded their
// statements. Status: recorded anew in November 2026, because nothing had been released.
describe('the newest schema', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it('gives workers of the first release the same answers to everything they ask (F32)', async () => {
    const file = new URL('../../testing/first-release.json', import.meta.url)
    const { statements, calls }: RecordedSession = JSON.parse(await readFile(file, 'utf8'))
    const pool = await server.createPool({ max: 1 })
    const client = await pool.connect()
    await migrate(client)
    for (const [index, { run, values, rows: then }] of calls.entries()) {
      const result = await client.query(statements[run] ?? run, values.map(toParameter))
      const now = rowsOfResult(result).map((row, n) =>
        Object.fromEntries(
          Object.entries(row).map(([column, value]) => [column, then[n]?.[column] === '*' ? '*' : value]),
        ),
      )
      // The newest schema has more migrations than the release knew.
      const expected = LISTS_MIGRATIONS.includes(run) ? expect.arrayContaining([...then]) : then
      expect(now, `call ${index}: ${run}`).toEqual(expected)
    }
    client.release()
  })
})
