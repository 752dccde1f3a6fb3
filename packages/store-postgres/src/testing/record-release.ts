import { writeFile } from 'node:fs/promises'
import { startPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { createPostgresStore } from '../lib/postgres-store.ts'
import { migrate } from '../lib/schema/migrate.ts'
import { type RecordedCall, type RecordedSession, type RecordedValue, rowsOfResult } from './recorded-session.ts'
import { runSession } from './release-session.ts'

// Records the statements that this version runs and the rows that it gets. Run at each release that changes statements:
// node packages/store-postgres/src/testing/record-release.ts <name> && pnpm fix

const DIFFERS = '*'

interface RecordedQuery {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
}

async function record(
  pool: Pool,
  { later, transactions } = { later: '0 hours', transactions: 0 },
): Promise<RecordedSession> {
  const statements: Record<string, string> = {}
  const calls: RecordedCall[] = []
  const client = await pool.connect()
  await migrate(client)
  // The second run is at another hour and on another day and has other transaction ids, so that every value which
  // depends on them differs.
  for (let count = 0; count < transactions; count++) await client.query('select pg_current_xact_id()')
  await client.query(`create or replace function callboard.clock() returns timestamptz language plpgsql stable
    as $$ begin return clock_timestamp() + interval '${later}'; end $$`)
  const query = client.query.bind(client)
  const recorded = async ({ name, text, values }: RecordedQuery) => {
    const result = await query({ name, text, values })
    const run = name?.replace('callboard.', '') ?? text
    if (name !== undefined) statements[run] = text
    calls.push({ run, values: values.map(toRecorded), rows: rowsOfResult(result) })
    return result
  }
  // The store passes a callback, because that is how it limits the wait for the answer.
  const recording = (asked: RecordedQuery, answered: (error: unknown, result?: unknown) => void) =>
    recorded(asked).then((result) => answered(null, result), answered)
  Object.assign(client, { query: recording })
  client.release()
  // Without the class of its clients, the store asks for all rows of a statement at once.
  const plain = { connect: pool.connect.bind(pool), on: pool.on.bind(pool) }
  await runSession(createPostgresStore({ pool: plain, notify: false }))
  return { statements, calls }
}

function toRecorded(value: unknown): RecordedValue {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map(toRecorded)
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as RecordedValue
  throw new Error(`cannot record ${typeof value}`)
}

/** Returns the first session, with `*` in place of every value of a row that differs in the second session. */
function whatStays(first: RecordedSession, second: RecordedSession): RecordedSession {
  const calls = first.calls.map((call, index) => ({
    ...call,
    rows: call.rows.map((row, n) => {
      const other = second.calls[index]?.rows[n] ?? {}
      const same = (column: string) => JSON.stringify(row[column]) === JSON.stringify(other[column])
      return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, same(column) ? value : DIFFERS]))
    }),
  }))
  return { statements: first.statements, calls }
}

const name = process.argv[2] ?? 'first-release'
const servers = [await startPostgres(), await startPostgres()] as const
const [first, second] = [
  await record(await servers[0].createPool({ max: 1 })),
  await record(await servers[1].createPool({ max: 1 }), { later: '25 hours', transactions: 20 }),
]
await Promise.all(servers.map((server) => server.stop()))
if (first.calls.length !== second.calls.length) throw new Error('two runs of the session ran different statements')
await writeFile(
  new URL(`./${name}.json`, import.meta.url),
  `${JSON.stringify(whatStays(first, second), undefined, 1)}\n`,
)
