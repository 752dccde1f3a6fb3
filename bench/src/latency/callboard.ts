import { startWorker } from '@callboard/delivery'
import { accountOf } from '../lib/arrange.ts'
import { noteEvent, openBenchCallboard } from '../lib/bench-callboard.ts'
import { createBenchTransport } from '../lib/bench-transport.ts'
import type { Roles } from './roles.ts'

/** Callboard as a platform runs it: worker and publisher in separate processes, each with a pool of its own. */
export const callboardRoles: Roles = {
  async work({ url, ca }) {
    await startWorker(openBenchCallboard(url).callboard, { transport: createBenchTransport(ca) })
  },
  publisher({ url, targets }) {
    const { callboard } = openBenchCallboard(url)
    return async (n) => (await callboard.publish(noteEvent(accountOf(n % targets.length), n))).id
  },
}
