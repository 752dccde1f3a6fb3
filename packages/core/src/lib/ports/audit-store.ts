import type { Mode } from '../accounts/mode.ts'
import type { AuditActor } from '../audit/audit-actor.ts'
import type { NameableKey } from '../keys/key-name.ts'
import type { Nameable } from '../subscriptions/subscription-name.ts'

/** The action that was taken, as an object and a verb in the past tense. */
export type AuditAction =
  | 'account.created'
  | 'account.renamed'
  | 'account.deleted'
  | 'key.issued'
  | 'key.imported'
  | 'key.rotated'
  | 'key.revoked'
  | 'key.version_set'
  | 'subscription.created'
  | 'subscription.imported'
  | 'subscription.confirmed'
  | 'subscription.changed'
  | 'subscription.removed'
  | 'subscription.disabled'
  | 'subscription.enabled'
  | 'subscription.skipped_to_now'
  | 'subscription.ordering_set'
  | 'backfill.started'
  | 'backfill.cancelled'
  | 'secret.rotated'
  | 'secrets.rewrapped'
  | 'delivery.resent'
  | 'deliveries.resent'
  | 'personal_data.erased'
  | 'versions.moved'

/** Facts about a change: counts, states, ids and field names. Never a secret, a target or personal data. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface AuditDraft {
  readonly actor: AuditActor
  readonly action: AuditAction
  /** Undefined for a change to all accounts. */
  readonly accountId: string | undefined
  /** Undefined for a change to both modes. */
  readonly mode: Mode | undefined
  /** The id of the key or subscription that was changed; undefined for any other change. */
  readonly objectId: string | undefined
  readonly details: AuditDetails
}

/** A change, as recorded. */
export interface AuditEntry extends AuditDraft {
  /** Unique, and higher for a later entry. Numbers have gaps. */
  readonly number: number
  /** When the change was recorded, by the store's clock. */
  readonly at: Date
}

export interface AuditRequest {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined
  /** Only entries of this mode and entries without a mode; undefined for all. */
  readonly mode: Mode | undefined
  /** Undefined for all. */
  readonly objectId: string | undefined
  /** Only entries with a lower number; undefined to start with the newest. */
  readonly before: number | undefined
  readonly limit: number
}

/** A key or subscription, with the fields that name it. */
export type AuditedObject = { readonly id: string } & (
  | { readonly key: NameableKey }
  | { readonly subscription: Nameable }
)

/**
 * The audit trail: who did what. Entries are never changed, and are kept when their account is deleted. Only retention
 * removes them.
 */
export interface AuditStore {
  recordEntry(entry: AuditDraft): Promise<void>

  /**
   * Milliseconds until fewer than `limit` of the account's entries by keys and viewers are younger than a minute; 0 if
   * that is so now. A store may look only at the newest entries of the account.
   */
  untilRoom(accountId: string, limit: number): Promise<number>

  /** Lists entries, newest first. */
  list(request: AuditRequest): Promise<AuditEntry[]>

  /**
   * Finds the keys and subscriptions with these ids, in any order. Includes those that have ended or were removed, while
   * they are stored. No two accounts have a key or subscription with the same id.
   */
  findObjects(ids: readonly string[]): Promise<AuditedObject[]>
}
