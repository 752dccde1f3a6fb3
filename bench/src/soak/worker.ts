// A worker with its default settings, in a process of its own.
import { startWorker } from '@callboard/delivery'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { createBenchTransport } from '../lib/bench-transport.ts'
import { answer } from '../lib/helper.ts'
import { footprint } from './footprint.ts'

const replies = {
  async start(url: string, ca: string): Promise<void> {
    await startWorker(openBenchCallboard(url).callboard, { transport: createBenchTransport(ca) })
  },
  sample: footprint,
}
export type WorkerReplies = typeof replies

answer(replies)
