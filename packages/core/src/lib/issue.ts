/**
 * The kind of a mistake, for callers that write their own message.
 * - `REQUIRED`: the field is missing.
 * - `TYPE`: the value has another type.
 * - `LENGTH`: the text is too short or too long.
 * - `CHARACTERS`: the text holds control characters or broken Unicode.
 * - `COUNT`: the list has too few or too many entries.
 * - `RANGE`: the number or time is out of range.
 * - `FORMAT`: the value is malformed, or belongs elsewhere (a cursor of another list).
 * - `UNKNOWN`: there is no such value.
 * - `CONFLICT`: the field excludes another one, or too many changes of it are still waiting.
 * - `TARGET`: deliveries may not go to this address.
 * - `SCHEMA`: `data` does not fit the schema of its event type.
 * - `INVALID`: a catalogue or option that cannot work.
 */
export type IssueCode =
  | 'REQUIRED'
  | 'TYPE'
  | 'LENGTH'
  | 'CHARACTERS'
  | 'COUNT'
  | 'RANGE'
  | 'FORMAT'
  | 'UNKNOWN'
  | 'CONFLICT'
  | 'TARGET'
  | 'SCHEMA'
  | 'INVALID'

/** One entry of {@link CallboardError.issues}: which field, and what is wrong with it. */
export interface Issue {
  /** Dot-separated path of the field, `''` for the whole input. */
  readonly path: string
  readonly code: IssueCode
  /** What is wrong and what to do, never the value itself. */
  readonly message: string
}
