import { describeRaces, describeStore, describeTransactions } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll } from 'vitest'
import { postgresFixtures } from '../testing/postgres-fixtures.ts'

let server: TestPostgres

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

const fixtures = postgresFixtures(() => server)
describeStore('postgres', fixtures)
describeTransactions('postgres', fixtures)
describeRaces('postgres', fixtures)

// Runs the suites without prepared statements, as behind a PgBouncer in transaction mode that does not track them.
const unprepared = postgresFixtures(() => server, { prepare: false })
describeStore('postgres without prepared statements', unprepared)
describeTransactions('postgres without prepared statements', unprepared)

describeRaces(
  'postgres with 8 shards',
  postgresFixtures(() => server, { shards: [8] }),
)
describeRaces(
  'postgres while the number of shards changes all the time',
  postgresFixtures(() => server, { shards: [1, 8, 3, 64, 2] }),
)
