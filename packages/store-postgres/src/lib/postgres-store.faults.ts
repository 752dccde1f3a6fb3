import { describeModel, describeStore, describeTransactions } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll } from 'vitest'
import { pgliteFixtures, postgresFixtures } from '../testing/postgres-fixtures.ts'

let server: TestPostgres

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

describeModel(
  'postgres',
  postgresFixtures(() => server),
  { runs: 100, steps: 60 },
)

// PGlite has a single connection, so a transaction of the platform cannot stay open while other calls are made.
const pglite = pgliteFixtures()
describeModel('pglite', async () => ({ ...(await pglite()), begin: undefined }), { runs: 15, steps: 60 })

// Runs the suites without prepared statements, as behind a PgBouncer in transaction mode that does not track them.
const unprepared = postgresFixtures(() => server, { prepare: false })
describeStore('postgres without prepared statements', unprepared)
describeTransactions('postgres without prepared statements', unprepared)
