import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { RivalOrder } from './rival-process.ts'

/** One worker process of a rival. */
export interface RivalWorker {
  /** Makes the process take jobs. Before this call, it has only loaded the code. */
  go(): void
  stop(): Promise<void>
}

export async function startRivalWorker(order: RivalOrder): Promise<RivalWorker> {
  const child = fork(new URL('./rival-process.ts', import.meta.url), { execArgv: [] })
  const ended = once(child, 'exit')
  child.send(order)
  const [news] = await Promise.race([once(child, 'message'), ended])
  if (news !== 'ready') throw new Error(`the worker of ${order.name} exited`)
  return {
    go: () => void child.send('go'),
    async stop() {
      child.disconnect()
      await ended
    },
  }
}
