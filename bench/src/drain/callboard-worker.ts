// A worker in a process of its own, as a platform starts it.
import { startWorker } from '@callboard/delivery'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { createBenchTransport } from '../lib/bench-transport.ts'
import { answer } from '../lib/helper.ts'
import type { ContenderOrder } from './contender.ts'

let stop = async (): Promise<void> => undefined

async function start({ postgresUrl, ca }: ContenderOrder): Promise<void> {
  const { callboard } = openBenchCallboard(postgresUrl)
  const worker = await startWorker(callboard, { transport: createBenchTransport(ca) })
  stop = () => worker.stop()
}

answer({ start }, () => stop())
