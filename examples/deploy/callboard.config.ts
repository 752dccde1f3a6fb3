import { defineConfig } from 'callboard'
import { callboard, pool } from './src/callboard.ts'

// Longer than the deadline of an attempt (15 s), so that stopping a worker aborts no delivery.
export default defineConfig({ callboard, pool, worker: { graceMs: 20_000 } })
