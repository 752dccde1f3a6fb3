/**
 * A function in the database. `migrate` re-creates it when its text has changed, while workers of the previous version
 * may be calling it. So its signature never changes after a release: a new signature means a new function with a new
 * name, and the old one stays.
 */
export interface DatabaseFunction {
  readonly name: string
  /** `create or replace function …`, written for the schema `callboard`. */
  readonly text: string
}
