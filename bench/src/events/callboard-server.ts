import { createCallboard } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { createPostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import { BENCH_SECRET_KEYS, benchCatalog, WIDE_LIMITS } from '../lib/bench-catalog.ts'
import { serveParent } from '../lib/serve.ts'

const [, , connectionString, readerUrl] = process.argv
const callboard = createCallboard({
  catalog: benchCatalog,
  store: createPostgresStore({
    pool: new Pool({ connectionString }),
    reader: readerUrl === undefined ? undefined : new Pool({ connectionString: readerUrl }),
  }),
  secretKeys: BENCH_SECRET_KEYS,
  rateLimits: WIDE_LIMITS,
})
serveParent(createRouter(callboard).fetch)
