import type { Store } from '@callboard/core/store'
import { entryJson } from '../audit/record-entry.ts'
import type { Database } from '../database/database.ts'
import { keyAfter } from '../subscriptions/subscription-key.ts'
import { toSubscription } from '../subscriptions/subscription-row.ts'
import {
  avoidScans,
  eventsBetween,
  moveVersion,
  pinnedVersions,
  subscriptionsInVersion,
} from '../subscriptions/version-statements.ts'

export function createVersionStore(database: Database): Store<unknown>['versions'] {
  return {
    pinned: () => database.run(pinnedVersions, {}),
    eventsOutside: (versions, limit) =>
      database.transaction(async (tx) => {
        await tx.run(avoidScans, {})
        // Versions are dates, so all of them sort between `''` and `'~'`.
        return tx.run(eventsBetween, { above: [...versions, ''], below: ['~', ...versions], limit })
      }),
    async subscriptionsIn(version, after, limit) {
      const rows = await database.run(subscriptionsInVersion, {
        version,
        after: await keyAfter(database, after),
        limit,
      })
      return rows.map(toSubscription)
    },
    async moveVersion(from, to, entry) {
      const move = { from, to, entry: entryJson(entry) }
      // In a transaction, because the timeouts that limit a long update apply only there.
      const [moved] = await database.transaction((tx) => tx.run(moveVersion, move))
      return moved ?? { subscriptions: 0, keys: 0 }
    },
  }
}
