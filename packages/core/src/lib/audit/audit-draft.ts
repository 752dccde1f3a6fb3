import type { AuditDraft } from '../ports/audit-store.ts'
import type { AuditActor } from './audit-actor.ts'

/** The facts to record about a change: its action, and each other field that applies to it. */
export type AuditNote = Pick<AuditDraft, 'action'> & Partial<Omit<AuditDraft, 'actor'>>

export function auditDraft(
  actor: AuditActor,
  { action, accountId, mode, objectId, details = {} }: AuditNote,
): AuditDraft {
  return { actor, action, accountId, mode, objectId, details }
}
