import { migrate, readMigrationScript } from '@callboard/store-postgres'
import { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { examples } from '../examples.ts'

interface MigrateOptions {
  readonly sql?: boolean
  readonly after?: string
}

/** `callboard migrate`: creates Callboard's tables, or brings them up to this version. */
export function migrateCommand(context: CommandContext): Command {
  const { out, err } = context
  return new Command('migrate')
    .summary("create Callboard's tables, or bring them up to date")
    .description(
      "Creates Callboard's tables, or brings them up to this version, in one transaction. " +
        'Several processes can safely run it at the same time.',
    )
    .option('--sql', 'print the SQL instead of running it; needs no database')
    .option(
      '--after <migration>',
      'with --sql: print only the migrations after this one (such as 0001-initial.sql), and the functions',
    )
    .addHelpText(
      'after',
      examples('callboard migrate', 'callboard migrate --sql | psql "$DATABASE_URL" --set ON_ERROR_STOP=1'),
    )
    .action(async ({ sql, after }: MigrateOptions) => {
      if (sql === true) {
        const script = await readMigrationScript({ schema: await context.schema(), after })
        return out.json ? out.document({ sql: script }) : out.line(script)
      }
      const { pool, schema } = await context.openDatabase()
      const client = await pool.connect()
      try {
        const applied = await migrate(client, { schema })
        if (out.json) return out.document({ applied })
        for (const name of applied) out.line(name)
        err.note(applied.length === 0 ? 'Nothing to do: the database is up to date.' : 'The database is up to date.')
      } finally {
        client.release()
      }
    })
}
