// A worker with its default settings, in a process of its own.
import { createHttpsTransport, startWorker } from '@callboard/delivery'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { BENCH_TARGETS } from '../lib/bench-targets.ts'
import { answer } from '../lib/helper.ts'
import { type Footprint, footprint } from './footprint.ts'

export type WorkerAsk = { readonly start: { readonly url: string; readonly ca: string } } | { readonly sample: true }

answer<WorkerAsk, Footprint>(async (ask) => {
  if ('start' in ask) {
    const { callboard } = openBenchCallboard(ask.start.url)
    await startWorker(callboard, {
      transport: createHttpsTransport({
        addressPolicy: BENCH_TARGETS,
        extraCaCertificates: [ask.start.ca],
        resolve: async () => ['127.0.0.1'],
      }),
    })
  }
  return footprint()
})
