import type { AuditEntry } from '@callboard/core'
import { type AuditDraft, type AuditStore, idFromUuid, isId, uuidFromId } from '@callboard/core/store'
import { type AuditRow, listEntries, recordEntry, untilRoomForChange } from '../accounts/audit-statements.ts'
import type { Database } from '../database/database.ts'
import { dateOf } from '../sql/row-values.ts'

export function createAuditStore(database: Database): AuditStore {
  return {
    async record(entry) {
      await database.run(recordEntry, { entry: entryJson(entry) })
    },
    async untilRoom(accountId, limit) {
      const [row] = await database.run(untilRoomForChange, { accountId, limit })
      return row?.ms ?? 0
    },
    async list({ accountId, mode, objectId, before, limit }) {
      const uuid = objectId === undefined ? null : uuidOf(objectId)
      if (uuid === undefined) return []
      const statement =
        uuid !== null ? listEntries.byObject : accountId !== undefined ? listEntries.byAccount : listEntries.all
      const rows = await database.run(statement, {
        accountId: accountId ?? null,
        mode: mode ?? null,
        objectId: uuid,
        before: before ?? null,
        limit,
      })
      return rows.map(toEntry)
    },
  }
}

/** The entry as JSON, which the SQL of `recordEntry` reads. */
export function entryJson({ actor, action, accountId, mode, objectId, details }: AuditDraft): string {
  return JSON.stringify({
    actor: actor.type,
    actor_id: actor.id,
    action,
    account_id: accountId,
    mode,
    object_id: objectId === undefined ? undefined : uuidOf(objectId),
    details,
  })
}

/** The UUID of a key's or subscription's id; undefined for anything else. */
function uuidOf(id: string): string | undefined {
  return isId('key', id) ? uuidFromId('key', id) : isId('sub', id) ? uuidFromId('sub', id) : undefined
}

function toEntry({ number, at, actor, actor_id, action, account_id, mode, object_id, details }: AuditRow): AuditEntry {
  return {
    number: Number(number),
    at: dateOf(at),
    actor: { type: actor, id: actor_id ?? undefined },
    action,
    accountId: account_id ?? undefined,
    mode: mode ?? undefined,
    objectId: object_id === null ? undefined : idFromUuid(action.startsWith('key.') ? 'key' : 'sub', object_id),
    details: JSON.parse(details),
  }
}
