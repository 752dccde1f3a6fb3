import { type AuditDraft, isId, uuidFromId } from '@callboard/core/store'
import type { Statement } from '../sql/statement.ts'

/**
 * SQL that records an audit entry for each row of `changed`; for one row by default. `entry` is SQL for the entry as
 * JSON (see `entryJson`).
 */
export function recordEntry(entry: string, changed: string = '(select) one'): string {
  return `insert into callboard.audit_entries (actor, actor_id, action, account_id, mode, object_id, details)
  select e.actor, e.actor_id, e.action, e.account_id, e.mode, e.object_id, e.details
  from ${changed}
  cross join lateral jsonb_to_record(${entry}) as e(
    actor text, actor_id text, action text, account_id text, mode text, object_id uuid, details jsonb
  )`
}

/** SQL that adds to the details of an entry what the change has shown. `details` is SQL for an object in JSON. */
export function withDetails(entry: string, details: string): string {
  return `jsonb_set(${entry}, '{details}', ${entry} -> 'details' || ${details})`
}

/** Records an entry on its own. A statement that changes something records its entry itself. */
export const recordEntryAlone: Statement<unknown, { readonly entry: string }> = {
  name: 'record-entry',
  text: recordEntry(':entry::jsonb'),
}

/**
 * The entry as JSON, which the SQL of `recordEntry` reads.
 *
 * @param uuid the UUID of an object whose id does not contain it.
 */
export function entryJson(
  { actor, action, accountId, mode, objectId, details }: AuditDraft,
  uuid?: string | undefined,
): string {
  return JSON.stringify({
    actor: actor.type,
    actor_id: actor.id,
    action,
    account_id: accountId,
    mode,
    object_id: objectId === undefined ? undefined : (uuidOf(objectId) ?? uuid),
    details,
  })
}

/** The UUID of a key's or subscription's id; undefined for anything else. */
export function uuidOf(id: string): string | undefined {
  return isId('key', id) ? uuidFromId('key', id) : isId('sub', id) ? uuidFromId('sub', id) : undefined
}
