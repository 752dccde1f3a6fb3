import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Statement } from '../sql/statement.ts'
import type { Database } from './database.ts'
import { createPgliteDatabase } from './pglite-database.ts'

let pglite: PGlite
let database: Database
beforeAll(async () => {
  pglite = await PGlite.create()
  await pglite.exec('create table notes (id int primary key, note text)')
  database = createPgliteDatabase(pglite, 'callboard')
})
afterAll(() => pglite.close())

const one: Statement<{ n: number }> = { name: 'one', text: 'select 1 as n' }
const insert: Statement<object, { readonly id: unknown; readonly note: string | null }> = {
  name: 'insert',
  text: 'insert into notes (id, note) values (:id, :note)',
}
const values: Statement<Record<string, unknown>, { readonly given: string | null; readonly bytes: Uint8Array }> = {
  name: 'values',
  text: `
select :given::text as given, null::text as nothing, 1.5::float8 as float, 7 as int, 12345678901::bigint as big,
  true as yes, false as no, array['a', 'b "c"', null] as texts, array[1, 2] as ints, :bytes::bytea as bytes,
  '{"a": 1}'::jsonb as json
from generate_series(1, 2)`,
}
const notes = async (): Promise<unknown[]> => (await pglite.query('table notes order by id')).rows
const timesPlanned = async (name: string): Promise<unknown> => {
  const { rows } = await pglite.query(
    'select (generic_plans + custom_plans)::int as times from pg_prepared_statements where name like $1',
    [`%.${name}`],
  )
  return rows
}

describe('PGlite', () => {
  it('lets sockets and timers have a turn of the event loop after each statement', async () => {
    let turns = 0
    const count = (): void => {
      turns++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    for (let n = 0; n < 10; n++) await database.run(one, {})
    await Promise.all(Array.from({ length: 10 }, () => database.run(one, {})))
    clearImmediate(next)
    expect(turns).toBeGreaterThanOrEqual(19)
  })

  it('prepares a statement once, also if its first execution fails', async () => {
    await expect(database.run(insert, { id: 'none', note: 'a' })).rejects.toMatchObject({ code: '22P02' })
    for (const id of [1, 2, 3]) await database.run(insert, { id, note: `it's "\\${id}"` })
    expect(await timesPlanned('insert')).toEqual([{ times: 3 }])
    expect(await notes()).toEqual([1, 2, 3].map((id) => ({ id, note: `it's "\\${id}"` })))
  })

  it('reads values as its own `query` does', async () => {
    const [given, bytes] = ['ä\n\\x🙂', new Uint8Array([0, 255, 92])]
    const own = await pglite.query(values.text.replace(':given', '$1').replace(':bytes', '$2'), [given, bytes])
    expect(own.rows).toHaveLength(2)
    for (let run = 0; run < 2; run++) expect(await database.run(values, { given, bytes })).toEqual(own.rows)
    expect((await database.run(values, { given: null, bytes }))[0]).toMatchObject({ given: null, bytes })
  })

  it('prepares its statements again once the platform has deallocated them', async () => {
    await database.run(one, {})
    await pglite.exec('deallocate all')
    expect(await database.run(one, {})).toEqual([{ n: 1 }])
    const both = database.transaction(async (tx) => [await tx.run(one, {}), await tx.run(one, {})])
    expect(await both).toEqual([[{ n: 1 }], [{ n: 1 }]])
    await pglite.exec('deallocate all')
    let runs = 0
    await database.transaction(async (tx) => {
      runs++
      await tx.run(insert, { id: 10, note: 'once' })
      await tx.run(one, {})
    })
    expect([runs, await notes()]).toEqual([2, expect.arrayContaining([{ id: 10, note: 'once' }])])
  })

  it('keeps its statements out of a transaction that the platform has open', async () => {
    let own: Promise<unknown> | undefined
    await pglite.transaction(async (tx) => {
      await tx.query("insert into notes values (20, 'of the platform')")
      own = database.run(insert, { id: 21, note: 'of Callboard' })
      for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
      await tx.rollback()
    })
    await own
    const { rows } = await pglite.query('select note from notes where id >= 20')
    expect(rows).toEqual([{ note: 'of Callboard' }])
  })
})
