import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Catalog, EventType } from '@callboard/core'
import { titleOf } from '@callboard/core/engine'
import { Command } from 'commander'
import { describeCatalog, parseCatalogDocument } from '../catalog/catalog-document.ts'
import { type CatalogChange, compareCatalogs } from '../catalog/compare-catalogs.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandError, wrongUsage } from '../command-error.ts'
import { examples } from '../examples.ts'
import type { Columns } from '../table.ts'

/** `callboard catalog …`: lists, saves and compares event types. None of these commands needs a database. */
export function catalogCommand(context: CommandContext): Command {
  const { out, err } = context
  const catalog = new Command('catalog')
    .summary('list event types, and find changes that break receivers')
    .description('The event types of your platform, in every format version.')

  const present = async (): Promise<Catalog> => {
    const { callboard, configured } = await context.platform()
    if (!configured)
      throw wrongUsage(
        'This command needs your catalogue: run it in the folder of callboard.config.ts, or name that file with --config.',
      )
    return callboard.catalog
  }

  catalog
    .command('list')
    .description('Lists the event types of the current format version.')
    .addHelpText('after', examples('callboard catalog list'))
    .action(async () => {
      const { types } = await present()
      out.list(
        types.map(({ schema: _, sample: __, ...type }) => ({ ...type, title: titleOf(type) })),
        TYPES,
      )
    })

  catalog
    .command('save [file]')
    .description('Writes the shapes of all event types in every format version to a file, or to stdout.')
    .addHelpText('after', examples('callboard catalog save catalog.json'))
    .action(async (file: string | undefined) => {
      const document = describeCatalog(await present())
      if (file === undefined) return out.document(document)
      await writeFile(resolve(context.folder, file), `${JSON.stringify(document, null, 2)}\n`)
      context.done({ file, versions: document.versions.map(({ version }) => version) }, `Wrote ${file}.`)
    })

  catalog
    .command('diff <file>')
    .description(
      'Compares the catalogue with one that "catalog save" wrote, and says which changes break receivers. ' +
        'Exits with 1 if one does.',
    )
    .addHelpText('after', examples('callboard catalog diff catalog.json'))
    .action(async (file: string) => {
      const text = await readFile(resolve(context.folder, file), 'utf8').catch((cause: unknown) => {
        throw new CommandError(`${file} cannot be read.`, { cause })
      })
      const changes = compareCatalogs(parseCatalogDocument(text, file), describeCatalog(await present()))
      out.list(changes, COLUMNS)
      const breaking = changes.filter(({ breaks }) => breaks).length
      if (changes.length === 0) err.note('Nothing has changed.')
      if (breaking > 0)
        throw new CommandError(
          `${breaking} of ${changes.length} changes can break receivers. Give the catalogue a new version, and keep the ` +
            'former shapes in `previous` of defineCatalog.',
        )
    })

  return catalog
}

const TYPES: Columns<Omit<EventType, 'schema' | 'sample'>> = {
  name: ({ name }) => name,
  title: ({ title }) => title,
  family: ({ family }) => family,
  'personal data': ({ personalDataPaths }) => personalDataPaths.join(', '),
  description: ({ description }) => description,
}

const COLUMNS: Columns<CatalogChange> = {
  breaks: ({ breaks }) => (breaks ? 'breaks' : 'safe'),
  version: ({ version }) => version,
  type: ({ type }) => type,
  path: ({ path }) => path,
  change: ({ message }) => message,
}
