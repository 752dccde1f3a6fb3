import type { EventType } from '@callboard/core'
import type { ErasureCounts } from '@callboard/core/store'
import { Command, Option } from 'commander'
import { accountOption, type OfAccount } from '../account-options.ts'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../command-error.ts'
import { examples } from '../examples.ts'
import { parsePast } from '../option-values.ts'

interface Asked {
  readonly yes?: true
}

interface BeforeOptions extends Asked {
  readonly account?: string
  readonly allAccounts?: true
}

const NEEDS = 'your catalogue, which defines what is personal data'

/** `callboard erase …`: erases personal data from stored events and stored responses. */
export function eraseCommand(context: CommandContext): Command {
  const erase = new Command('erase')
    .summary('erase personal data')
    .description(
      'Erases personal data from stored events and from stored responses of targets. The events themselves remain. ' +
        'This cannot be undone. If the command is interrupted, run it again.',
    )
  const ask = async ({ yes }: Asked, question: string): Promise<void> => {
    if (yes !== true) await context.confirm(question)
  }
  const tell = (counts: ErasureCounts): void =>
    context.done(counts, `Erased personal data from ${counts.events} events and ${counts.responses} responses.`)

  erase
    .command('person <id>')
    .description(
      'Erases the personal data of one person, in both modes. Searches only event types that have a personPath.',
    )
    .addOption(accountOption())
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('callboard erase person per_1 --account acc_1'))
    .action(async (personId: string, { account, ...asked }: OfAccount & Asked) => {
      const callboard = await context.open(NEEDS)
      await ask(asked, `Erase the personal data of ${personId} from all events of ${account}?`)
      tell(await callboard.erasure.person({ accountId: account, personId }))
      const passedOver = callboard.catalog.types.filter(hidesPersons).map(({ name }) => name)
      if (passedOver.length > 0)
        context.err.note(
          `These event types have no personPath, so they were not searched: ${passedOver.join(', ')}. ` +
            'Use "erase before" for them.',
        )
    })

  erase
    .command('before')
    .description('Erases the personal data of all events published before a given time.')
    .argument('<time>', 'a date, or an age such as 90d', parsePast)
    .addOption(new Option('--account <id>', 'only events of this account').env('CALLBOARD_ACCOUNT'))
    .addOption(new Option('--all-accounts', 'events of every account').conflicts('account'))
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      examples('callboard erase before 90d --account acc_1', 'callboard erase before 2026-01-01 --all-accounts --yes'),
    )
    .action(async (horizon: Date, { account, allAccounts, ...asked }: BeforeOptions) => {
      if (account === undefined && allAccounts !== true)
        throw wrongUsage('Choose whose data to erase: --account or --all-accounts.')
      const callboard = await context.open(NEEDS)
      const whose = account ?? 'EVERY account'
      await ask(asked, `Erase the personal data of all events of ${whose} published before ${horizon.toISOString()}?`)
      tell(await callboard.erasure.before({ accountId: account, horizon }))
    })

  return erase
}

/**
 * Whether the type has personal data but no `personPath`. A search for a person cannot find the events of such a type.
 */
function hidesPersons({ personalDataPaths, personPath }: EventType): boolean {
  return personalDataPaths.length > 0 && personPath === undefined
}
