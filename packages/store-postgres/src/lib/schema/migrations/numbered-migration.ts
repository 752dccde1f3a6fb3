/**
 * A migration that is applied once. Its text is in a module rather than in a `.sql` file, so that a bundle contains it
 * and `migrate` needs no file system.
 */
export interface NumberedMigration {
  readonly name: string
  /** SQL, written for the schema `callboard`. */
  readonly text: string
}
