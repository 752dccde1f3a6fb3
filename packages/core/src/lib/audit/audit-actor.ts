import { textIssue } from '../validation/text-rules.ts'
import { choiceIssue, validationFailed } from '../validation/validation.ts'

/**
 * The kind of actor that makes a change:
 * - `key`: an integration, through the API; `id` is the key's id.
 * - `viewer`: a person in the dashboard; `id` is the opaque id that the platform's `authorize` gave.
 * - `operator`: somebody at the command line; `id` is the name in `CALLBOARD_OPERATOR`.
 * - `platform`: the platform's own code.
 * - `worker`: Callboard itself.
 */
export type AuditActorType = (typeof TYPES)[number]
const TYPES = ['key', 'viewer', 'operator', 'platform', 'worker'] as const

export interface AuditActor {
  readonly type: AuditActorType
  /** 1–255 characters. Undefined when the actor has no id, as for `worker`. */
  readonly id: string | undefined
}

/**
 * Checks an actor that the platform names.
 *
 * @throws CallboardError `VALIDATION_FAILED` for an unknown type, and for an id that is empty, too long, or an e-mail
 *   address. The audit trail must hold no personal data, because erasure does not search it.
 */
export function assertAuditActor({ type, id }: AuditActor): void {
  const issue =
    choiceIssue('actor.type', type, TYPES) ??
    (id === undefined ? undefined : textIssue('actor.id', id, { min: 1, max: 255 }))
  if (issue !== undefined) throw validationFailed(issue)
  if (id?.includes('@') === true)
    throw validationFailed({
      path: 'actor.id',
      code: 'FORMAT',
      message: 'actor.id must be an opaque id or a name, not an e-mail address.',
    })
}
