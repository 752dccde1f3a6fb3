import { createHttpsTransport, startWorker } from '@callboard/delivery'
import { accountOf } from '../lib/arrange.ts'
import { noteEvent, openBenchCallboard } from '../lib/bench-callboard.ts'
import type { Publisher, Roles } from './roles.ts'

/** As a platform runs it: worker and publisher with a pool each, in a process each. */
export const callboardRoles: Roles = {
  async work({ url, ca }) {
    const { callboard } = openBenchCallboard(url)
    await startWorker(callboard, {
      transport: createHttpsTransport({
        addressPolicy: callboard.targets,
        extraCaCertificates: [ca],
        resolve: async () => ['127.0.0.1'],
      }),
    })
  },
  async publisher({ url, targets }): Promise<Publisher> {
    const { callboard } = openBenchCallboard(url)
    return async (n) => (await callboard.publish(noteEvent(accountOf(n % targets.length), n))).id
  },
}
