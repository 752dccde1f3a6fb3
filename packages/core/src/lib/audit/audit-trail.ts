import type { Mode } from '../accounts/mode.ts'
import { readOwner } from '../accounts/owner.ts'
import type { PageCursors, PageQuery } from '../cursors/page-cursors.ts'
import { keyName } from '../keys/key-name.ts'
import type { AuditEntry, AuditStore } from '../ports/audit-store.ts'
import { subscriptionName } from '../subscriptions/subscription-name.ts'
import { assertText } from '../validation/text-rules.ts'

/** A page of the audit trail, newest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

export interface AuditQuery extends PageQuery {
  /** Only entries about this account; all accounts by default. */
  readonly accountId?: string | undefined
  /** Only entries of this mode and entries that concern both modes; requires `accountId`. All entries by default. */
  readonly mode?: Mode | undefined
  /** Only entries about the key or subscription with this id. */
  readonly objectId?: string | undefined
}

/** The record of who did what to accounts, keys, subscriptions, secrets, deliveries and personal data. */
export interface AuditTrail {
  /**
   * Lists entries, newest first. Throws `VALIDATION_FAILED` for an invalid account id, mode or limit, and for a cursor
   * from another list.
   */
  list(query?: AuditQuery): Promise<AuditPage>
  /**
   * Returns the present names of the keys and subscriptions in entries, by id: of what was changed, and of keys that
   * changed something. A key's name ends with the last characters of its token. What is no longer stored has no name.
   * The entries themselves hold no names, so that the audit trail has no personal data.
   */
  namesIn(entries: readonly AuditEntry[]): Promise<ReadonlyMap<string, string>>
}

const FIRST_UUID = '00000000-0000-0000-0000-000000000000'

export function createAuditTrail(store: AuditStore, { open, close }: PageCursors): AuditTrail {
  return {
    async list({ accountId, mode, objectId, ...query } = {}) {
      if (accountId !== undefined) readOwner({ accountId, mode })
      if (objectId !== undefined) assertText('objectId', objectId, { min: 1, max: 255 })
      const binding = ['audit trail', accountId ?? null, mode ?? null, objectId ?? null]
      const { limit, place } = await open(query, binding)
      const found = await store.list({ accountId, mode, objectId, before: place?.number, limit: limit + 1 })
      const last = found.length > limit ? found[limit - 1] : undefined
      const next = last && { number: last.number, uuid: FIRST_UUID }
      return { entries: found.slice(0, limit), nextCursor: await close(next, binding) }
    },
    async namesIn(entries) {
      const ids = entries.flatMap(({ objectId, actor }) => [objectId, actor.type === 'key' ? actor.id : undefined])
      const found = await store.findObjects([...new Set(ids.filter((id) => id !== undefined))])
      return new Map(
        found.map((each) => [each.id, 'key' in each ? keyName(each.key) : subscriptionName(each.subscription)]),
      )
    },
  }
}
