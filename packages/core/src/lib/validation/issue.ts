/**
 * The kind of mistake, for callers that write their own message.
 * - `REQUIRED`: the field is missing.
 * - `TYPE`: the value has the wrong type.
 * - `LENGTH`: the string is too short or too long.
 * - `CHARACTERS`: the string contains control characters or broken Unicode.
 * - `COUNT`: the list has too few or too many entries.
 * - `RANGE`: the number or time is out of range.
 * - `FORMAT`: the value is malformed, or was made for another purpose, such as a cursor from another list.
 * - `UNKNOWN`: the value is not one of the allowed values.
 * - `CONFLICT`: the field conflicts with another field, is a duplicate, or does not fit the object's current state.
 * - `TARGET`: deliveries may not be sent to this address.
 * - `SCHEMA`: `data` does not match the schema of its event type.
 * - `INVALID`: an event type of the catalogue or an option is invalid.
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

/** One entry of {@link CallboardError.issues}: a field and what is wrong with it. */
export interface Issue {
  /** Dot-separated path of the field, `''` for the whole input. */
  readonly path: string
  readonly code: IssueCode
  /** Says what is wrong and what to do. It does not repeat the value, unless the value is an unknown event type. */
  readonly message: string
}
