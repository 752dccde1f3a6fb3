import { runUntilIdle } from '@callboard/delivery'
import { callboard, pool } from '../start/callboard.ts'

const report = await runUntilIdle(callboard, { deadlineMs: 50_000 })
console.log(JSON.stringify(report))
await pool.end()
