import { type ErasableEvent, type EventKey, idFromUuid, isId, type Store, uuidFromId } from '@callboard/core/store'
import type { Database } from '../database/database.ts'
import {
  countUnattributed,
  type ErasableRow,
  type EventKeyParameters,
  eraseEvent,
  eraseResponses,
  eventsOfPerson,
  openTransactions,
  walkEvents,
  walkEventsOfAccount,
} from '../maintenance/erase.ts'
import { createRetentionVerbs } from '../maintenance/retention.ts'
import { FIRST_ID } from '../sql/uuid-range.ts'

export function createMaintenanceStore(database: Database): Store<unknown>['maintenance'] {
  return {
    ...createRetentionVerbs(database),
    async openTransactions() {
      const [row] = await database.run(openTransactions, {})
      return { since: row?.since ?? '', publishing: row?.publishing ?? [] }
    },
    async eventsOfPerson(person, current, limit) {
      return (await database.run(eventsOfPerson, { ...person, presentPaths: current, limit })).map(toErasable)
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
    async countUnattributed({ accountId, mode, current, after, limit }) {
      const start = after === undefined ? beforeAll(accountId) : keyOf({ accountId, mode, id: after })
      const rows = await database.run(countUnattributed, {
        accountId,
        mode,
        after: start,
        presentPaths: current,
        limit,
      })
      const examined = rows.reduce((sum, row) => sum + row.examined, 0)
      const last = rows
        .map((row) => row.last_id)
        .sort()
        .at(-1)
      return {
        types: new Map(rows.flatMap(({ type, unattributed }) => (unattributed > 0 ? [[type, unattributed]] : []))),
        next: examined < limit || last === undefined ? undefined : idFromUuid('evt', last),
      }
    },
    async erase(events, since) {
      // Erases in key order, so that two concurrent erasures of the same events do not deadlock.
      const own = events.filter(({ id }) => isId('evt', id)).sort(byKey)
      const erased = own.map(({ accountId, mode, id }) => ({
        account_id: accountId,
        mode,
        event_id: uuidFromId('evt', id),
      }))
      return database.transaction(async (tx) => {
        let count = 0
        let late = 0
        for (const { from, fingerprint, body = null, personDigest = null, ...event } of own) {
          const changed = { from, fingerprint, body, personDigest, since }
          const [row] = await tx.run(eraseEvent, { ...keyOf(event), ...changed })
          if (row !== undefined) count++
          if (row?.late === true) late++
        }
        // A settle that read one of these events before it was erased has committed by now, because the erasure waited
        // for the settle's lock. So this statement also finds the response that the settle stored.
        const [responses] = await tx.run(eraseResponses, { events: erased })
        return { events: count, late, responses: responses?.n ?? 0 }
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
  return { accountId, mode: '', id: FIRST_ID }
}

function toErasable({ account_id, mode, id, type, body, fingerprint, person_id }: ErasableRow): ErasableEvent {
  const personId = person_id ?? undefined
  return { accountId: account_id, mode, id: idFromUuid('evt', id), type, body, fingerprint, personId }
}
