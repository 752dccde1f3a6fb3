import { describeRunner, describeStore, describeTransactions } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll } from 'vitest'
import { inCopies, pgliteFixtures, postgresFixtures, referenceFixture } from '../testing/postgres-fixtures.ts'

let server: TestPostgres

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

describeRunner('postgres', postgresFixtures(inCopies(() => server)), referenceFixture, { runs: 100, steps: 60 })

// PGlite has a single connection, so a transaction of the platform cannot stay open while other calls are made.
const pglite = pgliteFixtures()
describeRunner('pglite', async () => ({ ...(await pglite()), begin: undefined }), referenceFixture, {
  runs: 15,
  steps: 60,
})

// Runs the suites without prepared statements, as behind a PgBouncer in transaction mode that does not track them.
const unprepared = postgresFixtures(
  inCopies(() => server),
  { prepare: false },
)
describeStore('postgres without prepared statements', unprepared)
describeTransactions('postgres without prepared statements', unprepared)
