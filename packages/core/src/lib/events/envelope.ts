import type { Mode } from '../accounts/mode.ts'
import type { Subject } from '../ports/event-store.ts'

/** An event as the API gives it and deliveries carry it (contract, 2.4). */
export interface Envelope {
  readonly id: string
  readonly type: string
  /** The catalogue's format version. */
  readonly version: string
  /** ISO 8601, UTC. */
  readonly occurred_at: string
  readonly account: { readonly id: string; readonly name: string }
  readonly subject: Subject & { readonly sequence: number }
  readonly correlation_id: string | null
  readonly livemode: boolean
  /** By the schema of the event's type, less its personal data where the reader may not see it. */
  readonly data: Readonly<Record<string, unknown>>
}

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
