import { join } from 'node:path'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import { type Database, rowsOf } from './database.ts'
import { lockFolder } from './folder-lock.ts'
import { migrateShop } from './migrate-shop.ts'

/** Opens Postgres inside the process, with its files in the data folder. Committed data survives a `kill -9`. */
export async function openPgliteDatabase(dataDir: string): Promise<Database> {
  const folder = join(dataDir, 'postgres')
  // Two processes would corrupt the folder, and PGlite does not check whether another process has it open.
  const unlock = await lockFolder(folder)
  // Imported only here, so that a start with a Postgres server does not load 10 MB of WebAssembly.
  const { PGlite } = await import('@electric-sql/pglite')
  const pglite = await PGlite.create({ dataDir: folder })
  await migrate(pglite)
  await migrateShop(pglite)
  return {
    place: `embedded Postgres (PGlite) in ${folder}`,
    store: createPostgresStore({ pglite }),
    query: (row, text, values) => rowsOf(pglite, row, text, values),
    transaction: (work) => pglite.transaction(work),
    async close() {
      await pglite.close()
      await unlock()
    },
  }
}
