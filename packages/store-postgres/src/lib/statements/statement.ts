/**
 * One SQL statement. It names the schema `callboard`; the store puts its own schema's name in place of it. Values come
 * back as text, float8, boolean, arrays of text or int, so that type parsers which the platform has set change nothing.
 *
 * @typeParam Row what a row looks like.
 */
export interface Statement<Row> {
  /** Short and unique; part of the prepared statement's name. */
  readonly name: string
  readonly text: string
  /** Only a type: what a row looks like. */
  readonly row?: Row
}
