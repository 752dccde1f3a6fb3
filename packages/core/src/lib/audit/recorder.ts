import { CallboardError } from '../errors.ts'
import type { AuditDraft, AuditStore } from '../ports/audit-store.ts'
import type { AuditActor } from './audit-actor.ts'
import { type AuditNote, auditDraft } from './audit-draft.ts'

/** Records in the audit trail what one actor does. */
export interface Recorder {
  /** The entry for a change by the actor. The store that makes the change records the entry with it. */
  entry(note: AuditNote): AuditDraft
  /** Records something that has already happened. */
  record(note: AuditNote): Promise<void>
  /**
   * Throws `RATE_LIMITED` if the actor is a key or a viewer, and the account's keys and viewers have made as many
   * changes within a minute as they may. Called before every change except those that end something: removing or
   * disabling a subscription, or revoking a key.
   */
  admitChange(accountId: string): Promise<void>
}

/** @param changesPerMinute the most changes that an account's keys and viewers can make within a minute. */
export function createRecorder(store: AuditStore, actor: AuditActor, changesPerMinute: number): Recorder {
  const entry = (note: AuditNote): AuditDraft => auditDraft(actor, note)
  return {
    entry,
    record: (note) => store.recordEntry(entry(note)),
    async admitChange(accountId) {
      if (actor.type !== 'key' && actor.type !== 'viewer') return
      const waitMs = await store.untilRoom(accountId, changesPerMinute)
      if (waitMs > 0) throw tooManyChanges(changesPerMinute, Math.max(1, Math.ceil(waitMs / 1000)))
    },
  }
}

function tooManyChanges(limit: number, retryAfter: number): CallboardError {
  return new CallboardError(
    'RATE_LIMITED',
    `The account has reached its limit of ${limit} changes a minute. Try again in ${retryAfter} s.`,
    { retryAfter },
  )
}
