import type { SubscriptionRecord, VersionUse } from '@callboard/core'
import { subscriptionName } from '@callboard/core/engine'
import { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { examples } from '../examples.ts'
import { nameColumn } from '../subscription-names.ts'
import type { Columns } from '../table.ts'

const NEEDS = 'your catalogue, which has the format versions'

/** `callboard versions …`: shows what is pinned to each format version, and moves everything from one to another. */
export function versionsCommand(context: CommandContext): Command {
  const { out, err } = context
  const versions = new Command('versions')
    .summary('show format versions, and move everything from one to another')
    .description('The format versions of events, across all accounts.')

  versions
    .command('list')
    .description(
      'Lists the format versions of the catalogue, and any version in use that the catalogue lacks. Counts the ' +
        'subscriptions and keys that are pinned to each version.',
    )
    .addHelpText('after', examples('callboard versions list'))
    .action(async () => {
      const callboard = await context.open(NEEDS)
      const list = await callboard.versions.list()
      out.list(list, COLUMNS)
      if (list.some(isMissing))
        err.note('Some versions have ended or left the catalogue: "versions move" moves what is pinned to them.')
    })

  versions
    .command('show <version>')
    .description('Lists the subscriptions of all accounts that are pinned to a format version.')
    .addHelpText('after', examples('callboard versions show 2026-04-01'))
    .action(async (version: string) => {
      const callboard = await context.open(NEEDS)
      const records: Pinned[] = []
      for await (const { secrets: _, ...record } of callboard.versions.subscriptions({ version })) records.push(record)
      out.list(records, { ...PINNED, name: nameColumn(records) })
      if (records.length === 0) err.note(`No subscription is pinned to ${version}.`)
    })

  versions
    .command('move <from> <to>')
    .description(
      'Moves every subscription and key that is pinned to the format version <from> to the version <to>. Receivers ' +
        'and programs then get events in the shape of that version.',
    )
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', examples('callboard versions move 2026-04-01 2026-10-01'))
    .action(async (from: string, to: string, { yes }: { readonly yes?: boolean }) => {
      const callboard = await context.open(NEEDS)
      if (yes !== true) await context.confirm(`Move everything from ${from} to ${to}, in all accounts?`)
      const moved = await callboard.versions.move({ from, to })
      context.done({ from, to, ...moved }, `Moved ${counts(moved)} from ${from} to ${to}.`)
    })

  return versions
}

type Pinned = Omit<SubscriptionRecord, 'secrets'>

function isMissing({ version, servedAs }: VersionUse): boolean {
  return version !== servedAs
}

function counts({ subscriptions, keys }: { readonly subscriptions: number; readonly keys: number }): string {
  return `${subscriptions} ${subscriptions === 1 ? 'subscription' : 'subscriptions'} and ${keys} ${keys === 1 ? 'key' : 'keys'}`
}

const COLUMNS: Columns<VersionUse> = {
  version: ({ version }) => version,
  'sent as': ({ servedAs }) => servedAs,
  deprecated: ({ retirement }) => retirement?.deprecated,
  sunset: ({ retirement }) => retirement?.sunset,
  subscriptions: ({ subscriptions }) => subscriptions,
  keys: ({ keys }) => keys,
  events: ({ events }) => events,
}

const PINNED: Columns<Pinned> = {
  account: ({ accountId }) => accountId,
  mode: ({ mode }) => mode,
  id: ({ id }) => id,
  name: subscriptionName,
  state: ({ state }) => state,
  integration: ({ integration }) => integration,
  target: ({ targetUrl }) => targetUrl,
}
