// A worker in a process of its own, as a platform starts it.
import { createHttpsTransport, startWorker } from '@callboard/delivery'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { BENCH_TARGETS } from '../lib/bench-targets.ts'
import { readOrder } from './contender.ts'

const { order, ended } = await readOrder()
const { callboard, pool } = openBenchCallboard(order.postgresUrl)
const transport = createHttpsTransport({
  addressPolicy: BENCH_TARGETS,
  extraCaCertificates: [order.sink.ca],
  resolve: async () => ['127.0.0.1'],
})
const worker = await startWorker(callboard, { transport })
await ended
await worker.stop()
await transport.close()
await pool.end()
