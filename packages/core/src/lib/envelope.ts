import type { Mode } from './mode.ts'
import type { Subject } from './ports/event-store.ts'

/** What an envelope says (contract, 2.4), but for the account's name and the subject's sequence, which the store knows. */
export interface EnvelopeInput {
  readonly id: string
  readonly type: string
  readonly version: string
  readonly occurredAt: Date
  readonly accountId: string
  readonly subject: Subject
  readonly correlationId: string | null
  readonly mode: Mode
  /** JSON text of `data`. */
  readonly data: string
}

export interface EnvelopeParts {
  /** Up to the account's name. */
  readonly head: string
  /** From there up to the subject's sequence. */
  readonly middle: string
  /** From there to the end; `data` is its last member. */
  readonly tail: string
}

/** Serialises an envelope once, around the two values that are filled in when it is stored. */
export function envelopeParts(input: EnvelopeInput): EnvelopeParts {
  const { id, type, version, occurredAt, accountId, subject, correlationId, mode, data } = input
  const json = JSON.stringify
  return {
    // An id, a name and a version hold nothing that JSON would escape.
    head: `{"id":"${id}","type":"${type}","version":"${version}","occurred_at":"${occurredAt.toISOString()}","account":{"id":${json(accountId)},"name":`,
    middle: `},"subject":{"type":${json(subject.type)},"id":${json(subject.id)},"sequence":`,
    tail: `},"correlation_id":${json(correlationId)},"livemode":${mode === 'live'},"data":${data}}`,
  }
}
