import type { AuditEntry } from '@callboard/core'

/** Names the actor of an entry: `key Zapier …x7Qp`, `operator ada`. */
export function actorName({ type, id }: AuditEntry['actor'], names: ReadonlyMap<string, string>): string {
  return id === undefined ? type : `${type} ${(type === 'key' ? names.get(id) : undefined) ?? id}`
}
