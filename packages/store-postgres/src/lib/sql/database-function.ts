/**
 * A function in the database. `migrate` re-creates it when its text has changed, while workers of the previous version
 * may still call it. So the signature of a released function never changes: for a new signature, add a function with a
 * new name and keep the old one.
 */
export interface DatabaseFunction {
  readonly name: string
  /** `create or replace function …`, written for the schema `callboard`. */
  readonly text: string
}
