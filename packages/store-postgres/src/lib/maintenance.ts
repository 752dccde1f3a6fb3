import {
  type ErasableEvent,
  type EventKey,
  idFromUuid,
  isId,
  type MaintenanceStore,
  uuidFromId,
} from '@callboard/core/store'
import type { Database } from './database.ts'
import { createRetentionVerbs } from './retention.ts'
import {
  type ErasableRow,
  eraseEvent,
  eventsOfPerson,
  forgetResponses,
  walkEvents,
  walkEventsOfAccount,
} from './statements/erase.ts'

export function createMaintenanceStore(database: Database): MaintenanceStore {
  return {
    ...createRetentionVerbs(database),
    async eventsOfPerson({ accountId, mode, personId }, limit) {
      return (await database.run(eventsOfPerson, [accountId, mode, personId, limit])).map(toErasable)
    },
    async eventsBefore({ accountId, publishedBefore, current, after, limit }) {
      const values = [
        ...keyValues(after ?? { accountId: accountId ?? '', mode: 'live', id: undefined }),
        publishedBefore.toISOString(),
        current.map(({ type }) => type),
        current.map(({ fingerprint }) => fingerprint),
        limit,
      ]
      const rows =
        accountId === undefined
          ? await database.run(walkEvents, values)
          : await database.run(walkEventsOfAccount, [...values, accountId])
      const last = rows.length < limit ? undefined : rows.at(-1)
      return {
        events: rows.flatMap(({ body, ...row }) => (body === null ? [] : [toErasable({ ...row, body })])),
        next: last && { accountId: last.account_id, mode: last.mode, id: idFromUuid('evt', last.id) },
      }
    },
    async erase(events) {
      // In key order: two that erase the same meet no deadlock.
      const own = events.filter(({ id }) => isId('evt', id)).sort(byKey)
      const keys = [
        own.map(({ accountId }) => accountId),
        own.map(({ mode }) => mode),
        own.map(({ id }) => uuidFromId('evt', id)),
      ]
      const counts = await database.transaction(async (tx) => {
        let erased = 0
        for (const { accountId, mode, id, from, body } of own)
          erased += (await tx.run(eraseEvent, [accountId, mode, uuidFromId('evt', id), from, body ?? null])).length
        const [forgotten] = await tx.run(forgetResponses, keys)
        return { events: erased, responses: forgotten?.n ?? 0 }
      })
      // Once more, now that who settles sees that they are erased: a response may have been written down meanwhile.
      const [late] = await database.run(forgetResponses, keys)
      return { ...counts, responses: counts.responses + (late?.n ?? 0) }
    },
  }
}

function byKey(a: EventKey, b: EventKey): number {
  for (const part of ['accountId', 'mode', 'id'] as const) if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1
  return 0
}

/** As values that an event's key is compared with; without an id, before every event of the account. */
function keyValues({ accountId, mode, id }: Omit<EventKey, 'id'> & { readonly id: string | undefined }): string[] {
  if (id === undefined) return [accountId, '', '00000000-0000-0000-0000-000000000000']
  return [accountId, mode, uuidFromId('evt', id)]
}

function toErasable({ account_id, mode, id, type, body, fingerprint }: ErasableRow): ErasableEvent {
  return { accountId: account_id, mode, id: idFromUuid('evt', id), type, body, fingerprint }
}
