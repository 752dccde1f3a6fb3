import type { AuditEntry } from '@callboard/core'
import { idFromUuid, isId, isSubscriptionId, type ResultOf, type Store, uuidFromId } from '@callboard/core/store'
import { type AuditedRow, findObjects } from '../audit/find-objects.ts'
import { type AuditRow, listEntries } from '../audit/list-entries.ts'
import { entryJson, recordEntryAlone, uuidOf } from '../audit/record-entry.ts'
import { untilRoomForChange } from '../audit/until-room-for-change.ts'
import type { Database } from '../database/database.ts'
import { dateOf } from '../sql/row-values.ts'
import { findOwnId } from '../subscriptions/subscription-key.ts'

export function createAuditStore(database: Database): Store<unknown>['audit'] {
  const objectUuid = async (id: string): Promise<string | undefined> => {
    const uuid = uuidOf(id)
    if (uuid !== undefined || !isSubscriptionId(id)) return uuid
    return (await database.run(findOwnId, { ownId: id })).at(0)?.id
  }
  return {
    async recordEntry(entry) {
      const uuid = entry.objectId === undefined ? undefined : await objectUuid(entry.objectId)
      await database.run(recordEntryAlone, { entry: entryJson(entry, uuid) })
    },
    async untilRoom(accountId, limit) {
      const [row] = await database.run(untilRoomForChange, { accountId, limit })
      return row?.ms ?? 0
    },
    async list({ accountId, mode, objectId, before, limit }) {
      const uuid = objectId === undefined ? null : await objectUuid(objectId)
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
    async findObjects(ids) {
      if (ids.length === 0) return []
      const uuids = (prefix: 'key' | 'sub'): string[] =>
        ids.flatMap((id) => (isId(prefix, id) ? [uuidFromId(prefix, id)] : []))
      const ownIds = ids.filter((id) => uuidOf(id) === undefined && isSubscriptionId(id))
      return (await database.run(findObjects, { keys: uuids('key'), subscriptions: uuids('sub'), ownIds })).map(
        toObject,
      )
    },
  }
}

function toObject(row: AuditedRow): ResultOf<'audit', 'findObjects'>[number] {
  if (row.key_name !== null) {
    const key = { name: row.key_name, lastCharacters: row.last_characters ?? undefined }
    return { id: idFromUuid('key', row.id), key }
  }
  const { own_id: ownId, description, external_ref: externalRef, target_url: targetUrl } = row
  return {
    id: ownId ?? idFromUuid('sub', row.id),
    subscription: {
      description: description ?? undefined,
      externalRef: externalRef ?? undefined,
      targetUrl: targetUrl ?? '',
    },
  }
}

function toEntry({ number, at, actor, actor_id, action, account_id, mode, object_id, ...row }: AuditRow): AuditEntry {
  return {
    number: Number(number),
    at: dateOf(at),
    actor: { type: actor, id: actor_id ?? undefined },
    action,
    accountId: account_id ?? undefined,
    mode: mode ?? undefined,
    objectId:
      object_id === null ? undefined : (row.own_id ?? idFromUuid(action.startsWith('key.') ? 'key' : 'sub', object_id)),
    details: JSON.parse(row.details),
  }
}
