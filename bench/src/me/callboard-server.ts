import { createCallboard } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { createMemoryStore } from '@callboard/store-memory'
import { BENCH_SECRET_KEYS, benchCatalog, WIDE_LIMITS } from '../lib/bench-catalog.ts'
import { serveParent } from '../lib/serve.ts'
import { ACCOUNT, SCOPES } from './account.ts'

const callboard = createCallboard({
  catalog: benchCatalog,
  store: createMemoryStore(),
  secretKeys: BENCH_SECRET_KEYS,
  rateLimits: WIDE_LIMITS,
})
await callboard.accounts.create(ACCOUNT)
const { token } = await callboard.keys.issue({ accountId: ACCOUNT.id, name: 'bench', scopes: SCOPES })
serveParent(createRouter(callboard).fetch, [token])
