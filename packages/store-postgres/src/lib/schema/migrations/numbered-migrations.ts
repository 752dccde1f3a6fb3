import { initialMigration } from './0001-initial.ts'
import type { NumberedMigration } from './numbered-migration.ts'

/** All numbered migrations, in order. */
export const NUMBERED_MIGRATIONS: readonly NumberedMigration[] = [initialMigration]
