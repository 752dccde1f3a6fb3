import { describeModel, describeStore } from '@callboard/store-conformance'
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

describeStore(
  'postgres with 8 shards',
  postgresFixtures(() => server, { shards: [8] }),
)
