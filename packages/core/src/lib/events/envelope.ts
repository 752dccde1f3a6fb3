import type { Mode } from '../accounts/mode.ts'
import type { Subject } from '../ports/stored-event.ts'

/** An event as the API returns it and as deliveries contain it. */
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
  /** Matches the schema of the event's type, except that personal data which the reader may not see is missing. */
  readonly data: Readonly<Record<string, unknown>>
}

/** The contents of an envelope, except for the account's name and the event's sequence, which only the store knows. */
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
  /** The text up to the account's name. */
  readonly head: string
  /** The text between the account's name and the sequence. */
  readonly middle: string
  /** The text after the sequence. `data` is always the last member. */
  readonly tail: string
}

/** Serialises an envelope in three parts, around the two values that the store fills in. */
export function envelopeParts(input: EnvelopeInput): EnvelopeParts {
  const { id, type, version, occurredAt, accountId, subject, correlationId, mode, data } = input
  const json = JSON.stringify
  return {
    // Ids, type names and versions contain no character that JSON would escape, so they are inserted as they are.
    head: `{"id":"${id}","type":"${type}","version":"${version}","occurred_at":"${occurredAt.toISOString()}","account":{"id":${json(accountId)},"name":`,
    middle: `},"subject":{"type":${json(subject.type)},"id":${json(subject.id)},"sequence":`,
    tail: `},"correlation_id":${json(correlationId)},"livemode":${mode === 'live'},"data":${data}}`,
  }
}

/** The format version in the text of an envelope. */
export function versionOf(envelope: string): string {
  const at = envelope.indexOf(VERSION) + VERSION.length
  return envelope.slice(at, envelope.indexOf('"', at))
}

/** Replaces the format version of an envelope with `version`, and the text of its `data` with `change(text)`. */
export function replaceInEnvelope(envelope: string, version: string, change: (data: string) => string): string {
  const versionAt = envelope.indexOf(VERSION) + VERSION.length
  const dataAt = envelope.indexOf(DATA) + DATA.length
  const between = envelope.slice(envelope.indexOf('"', versionAt), dataAt)
  return `${envelope.slice(0, versionAt)}${version}${between}${change(envelope.slice(dataAt, -1))}}`
}

// The values before `version` and `data` never contain these strings, because JSON escapes quotes. So the first match
// is the member.
const VERSION = '"version":"'
const DATA = ',"data":'
