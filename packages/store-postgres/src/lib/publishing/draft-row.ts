import { type EventDraft, uuidFromId } from '@callboard/core/store'

/** A draft in the form that all publishing statements take. */
export interface DraftRow {
  readonly account_id: string
  readonly mode: string
  readonly id: string
  readonly type: string
  readonly occurred_at: string
  readonly subject_type: string
  readonly subject_id: string
  readonly sequence: number | null
  readonly idempotency_key: string | null
  /**
   * Digests of the publisher's input, one for each secret key, separated by spaces; the current key's comes first. Null
   * if the publisher gave neither an id nor an idempotency key.
   */
  readonly digests: string | null
  readonly head: string
  readonly middle: string
  readonly tail: string
  readonly patch: string | null
  readonly fingerprint: string
  readonly person_id: string | null
  readonly own_id: boolean
  readonly trace: string | null
}

export function toDraftRow(draft: EventDraft): DraftRow {
  return {
    account_id: draft.accountId,
    mode: draft.mode,
    id: uuidFromId('evt', draft.id),
    type: draft.type,
    occurred_at: draft.occurredAt.toISOString(),
    subject_type: draft.subject.type,
    subject_id: draft.subject.id,
    sequence: draft.sequence ?? null,
    idempotency_key: draft.idempotencyKey ?? null,
    digests: draft.digests.length === 0 ? null : draft.digests.join(' '),
    head: draft.head,
    middle: draft.middle,
    tail: draft.tail,
    patch: draft.patch,
    fingerprint: draft.fingerprint,
    person_id: draft.personId ?? null,
    own_id: draft.ownId,
    trace: draft.trace ?? null,
  }
}
