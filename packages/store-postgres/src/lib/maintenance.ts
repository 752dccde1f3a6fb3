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
  type EventKeyParameters,
  eraseEvent,
  eraseResponses,
  eventsOfPerson,
  walkEvents,
  walkEventsOfAccount,
} from './statements/erase.ts'

export function createMaintenanceStore(database: Database): MaintenanceStore {
  return {
    ...createRetentionVerbs(database),
    async eventsOfPerson({ accountId, mode, personId }, limit) {
      return (await database.run(eventsOfPerson, { accountId, mode, personId, limit })).map(toErasable)
    },
    async eventsBefore({ accountId, publishedBefore, current, after, limit }) {
      const step = {
        ...(after === undefined ? beforeAll(accountId ?? '') : keyOf(after)),
        publishedBefore: publishedBefore.toISOString(),
        presentPaths: current,
        limit,
      }
      const rows =
        accountId === undefined
          ? await database.run(walkEvents, step)
          : await database.run(walkEventsOfAccount, { ...step, onlyAccountId: accountId })
      const last = rows.length < limit ? undefined : rows.at(-1)
      return {
        events: rows.flatMap(({ body, ...row }) => (body === null ? [] : [toErasable({ ...row, body })])),
        next: last && { accountId: last.account_id, mode: last.mode, id: idFromUuid('evt', last.id) },
      }
    },
    async erase(events) {
      // Erases in key order, so that two concurrent erasures of the same events do not deadlock.
      const own = events.filter(({ id }) => isId('evt', id)).sort(byKey)
      const erased = own.map(({ accountId, mode, id }) => ({
        account_id: accountId,
        mode,
        event_id: uuidFromId('evt', id),
      }))
      return database.transaction(async (tx) => {
        let count = 0
        for (const { from, body, ...event } of own)
          count += (await tx.run(eraseEvent, { ...keyOf(event), from, body: body ?? null })).length
        // Each settle that read one of these events before it was erased has committed by now: it had locked the event.
        const [responses] = await tx.run(eraseResponses, { events: erased })
        return { events: count, responses: responses?.n ?? 0 }
      })
    },
  }
}

function byKey(a: EventKey, b: EventKey): number {
  for (const part of ['accountId', 'mode', 'id'] as const) if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1
  return 0
}

function keyOf({ accountId, mode, id }: EventKey): EventKeyParameters {
  return { accountId, mode, id: uuidFromId('evt', id) }
}

/** A key that sorts before every event of the account. */
function beforeAll(accountId: string): EventKeyParameters {
  return { accountId, mode: '', id: '00000000-0000-0000-0000-000000000000' }
}

function toErasable({ account_id, mode, id, type, body, fingerprint }: ErasableRow): ErasableEvent {
  return { accountId: account_id, mode, id: idFromUuid('evt', id), type, body, fingerprint }
}
