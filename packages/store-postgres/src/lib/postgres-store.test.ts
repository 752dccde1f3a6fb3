import { describeRaces, describeRunner, describeStore, describeTransactions } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll } from 'vitest'
import { inCopies, postgresFixtures, referenceFixture } from '../testing/postgres-fixtures.ts'

let server: TestPostgres

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

const fixtures = postgresFixtures(inCopies(() => server))
describeStore('postgres', fixtures)
describeTransactions('postgres', fixtures)
describeRaces('postgres', fixtures)
describeRunner('postgres', fixtures, referenceFixture, { runs: 5, steps: 40 })
