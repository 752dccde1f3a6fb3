import type { DeliveryStore } from '@callboard/core/store'
import { createHttpsTransport, startWorker } from '@callboard/delivery'
import { accountOf } from '../lib/arrange.ts'
import { noteEvent, openBenchCallboard } from '../lib/bench-callboard.ts'
import { BENCH_TARGETS } from '../lib/bench-targets.ts'
import type { Publisher, Roles, Timed } from './roles.ts'

/** Callboard as a platform runs it: worker and publisher in separate processes, each with a pool of its own. */
export const callboardRoles: Roles = {
  async work({ url, ca }, timed) {
    const { callboard } = openBenchCallboard(url, { watch: (deliveries) => timedStore(deliveries, timed) })
    await startWorker(callboard, {
      transport: createHttpsTransport({
        addressPolicy: BENCH_TARGETS,
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

function timedStore(store: DeliveryStore, timed: Timed): DeliveryStore {
  return {
    ...store,
    sequence: (limit, lease) =>
      timed(
        ({ sequenced, lanes }) =>
          lanes.length > 0 ? 'sequenced and leased' : sequenced > 0 ? 'sequenced' : 'none sequenced',
        () => store.sequence(limit, lease),
      ),
    due: (request) =>
      timed(
        ({ lanes }) => (lanes.length > 0 ? 'lanes due' : 'no lane due'),
        () => store.due(request),
      ),
    lease: (request) =>
      timed(
        (lanes) => (lanes.length > 0 ? 'leased' : 'none leased'),
        () => store.lease(request),
      ),
  }
}
