// A process that calls `runUntilIdle`, sends the report to its parent, and then has nothing left to do.
import { createCallboard } from '@callboard/core'
import { runUntilIdle } from '@callboard/delivery'
import { createPostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import { catalog } from './sample-catalog.ts'

const [connectionString, schema, ca = '', k1 = ''] = process.argv.slice(2)
const pool = new Pool({ connectionString, max: 3 })
const callboard = createCallboard({
  catalog,
  store: createPostgresStore({ pool, schema }),
  secretKeys: { current: 'k1', keys: { k1 } },
  targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
})
const report = await runUntilIdle(callboard, { deadlineMs: 60_000, extraCaCertificates: [ca] })
await pool.end()
process.send?.(report, undefined, {}, () => process.disconnect())
