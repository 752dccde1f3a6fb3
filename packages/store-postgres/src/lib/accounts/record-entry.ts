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
