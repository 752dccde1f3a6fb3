/**
 * The kind of mistake, for callers that write their own message.
 * - `REQUIRED`: the field is missing.
 * - `TYPE`: the value has the wrong type.
 * - `LENGTH`: the text is too short or too long.
 * - `CHARACTERS`: the text contains control characters or broken Unicode.
 * - `COUNT`: the list has too few or too many entries.
 * - `RANGE`: the number or time is out of range.
 * - `FORMAT`: the value is malformed, or belongs elsewhere, such as a cursor from another list.
 * - `UNKNOWN`: the value is not one of those allowed.
 * - `CONFLICT`: the field excludes another one, is a duplicate, or has too many changes pending.
 * - `TARGET`: deliveries may not be sent to this address.
 * - `SCHEMA`: `data` does not fit the schema of its event type.
 * - `INVALID`: the catalogue or option cannot work.
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

/** One entry of {@link CallboardError.issues}: a field and its mistake. */
export interface Issue {
  /** Dot-separated path of the field, `''` for the whole input. */
  readonly path: string
  readonly code: IssueCode
  /** Says what is wrong and what to do, without repeating the value (an unknown event type excepted). */
  readonly message: string
}
