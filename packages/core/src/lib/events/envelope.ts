import type { Mode } from '../accounts/mode.ts'
import type { Subject } from '../ports/event-store.ts'

/** An event as the API returns it and deliveries carry it. */
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
  /** Matches the schema of the event's type, but lacks personal data that the reader may not see. */
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * The contents of an envelope, except for the account's name and the subject's sequence, which only the store knows.
 */
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
  /** From there to the end. `data` is always the last member. */
  readonly tail: string
}

/** Serialises an envelope once, around the two values that the store fills in. */
export function envelopeParts(input: EnvelopeInput): EnvelopeParts {
  const { id, type, version, occurredAt, accountId, subject, correlationId, mode, data } = input
  const json = JSON.stringify
  return {
    // Ids, type names and versions contain nothing that JSON would escape.
    head: `{"id":"${id}","type":"${type}","version":"${version}","occurred_at":"${occurredAt.toISOString()}","account":{"id":${json(accountId)},"name":`,
    middle: `},"subject":{"type":${json(subject.type)},"id":${json(subject.id)},"sequence":`,
    tail: `},"correlation_id":${json(correlationId)},"livemode":${mode === 'live'},"data":${data}}`,
  }
}
