// Migrates a PGlite in the given folder, tells the parent process, and keeps the folder until it is killed.
import { PGlite } from '@electric-sql/pglite'
import { migrate } from '../lib/schema/migrate.ts'

const pglite = await PGlite.create(String(process.argv[2]))
await migrate(pglite)
process.send?.('migrated')
setInterval(() => undefined, 60_000)
