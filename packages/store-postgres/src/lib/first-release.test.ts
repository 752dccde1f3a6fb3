import { readFile } from 'node:fs/promises'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from './migrate.ts'

/**
 * What a platform and a worker of the first release asked, on its schema (`0001-initial.sql`), and the rows that they got.
 * Recorded once from that release's code; `*` stands for what differed between two runs. One thing was edited since: making a lane and
 * starting it again was one upsert, and is an insert and an update here, as in the release after it; what the upsert needs of the schema, the key
 * of lanes without their epoch, ended two releases later (decision 010).
 */
interface Session {
  readonly statements: Readonly<Record<string, string>>
  readonly calls: readonly Call[]
}

interface Call {
  /** A statement's name, or `begin` and `commit` as text. */
  readonly run: string
  readonly values?: readonly Value[]
  readonly rows?: readonly Readonly<Record<string, Value>>[]
}

type Value = string | number | boolean | null | { readonly base64: string } | readonly Value[]

function toParameter(value: Value): unknown {
  if (typeof value !== 'object' || value === null) return value
  return 'base64' in value ? Buffer.from(value.base64, 'base64') : value.map(toParameter)
}

describe('the schema', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it('F32 serves workers of the first release when it is the newest one: all that they ask has the same answers', async () => {
    const file = new URL('../testing/first-release.json', import.meta.url)
    const { statements, calls }: Session = JSON.parse(await readFile(file, 'utf8'))
    const pool = await server.createPool({ max: 1 })
    const client = await pool.connect()
    await migrate(client)
    for (const [index, { run, values = [], rows: then }] of calls.entries()) {
      const { rows } = await client.query(statements[run] ?? run, values.map(toParameter))
      if (then === undefined) continue
      const now = rows.map((row, n) =>
        Object.fromEntries(
          Object.entries(row).map(([column, value]) => [column, then[n]?.[column] === '*' ? '*' : value]),
        ),
      )
      expect(now, `call ${index}: ${run}`).toEqual(then)
    }
    client.release()
  })
})
