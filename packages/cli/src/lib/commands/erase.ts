import type { ErasureCounts, EventType } from '@callboard/core'
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

const NEEDS = 'your catalogue, which says what is personal data'

/** `callboard erase …`: personal data out of stored events. */
export function eraseCommand(context: CommandContext): Command {
  const erase = new Command('erase').description(
    'Erases personal data from stored events and kept answers of targets. The events stay, without it. It cannot be undone; after one that was cut off, run it again.',
  )
  const ask = async ({ yes }: Asked, question: string): Promise<void> => {
    if (yes !== true) await context.confirm(question)
  }
  const tell = (counts: ErasureCounts): void =>
    context.done(counts, `Erased from ${counts.events} events and ${counts.responses} answers.`)

  erase
    .command('person <id>')
    .description("Erases one person's, whom event types name by personPath, in both modes.")
    .addOption(accountOption())
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('callboard erase person per_1 --account acc_1'))
    .action(async (personId: string, { account, ...asked }: OfAccount & Asked) => {
      const callboard = await context.open(NEEDS)
      await ask(asked, `Erase the personal data of ${personId} from all events of ${account}?`)
      tell(await callboard.erasure.person({ account, personId }))
      const passedOver = callboard.catalog.types.filter(hidesPersons).map(({ name }) => name)
      if (passedOver.length > 0)
        context.err.note(
          `Not looked through, as they have no personPath: ${passedOver.join(', ')}. Only "erase before" erases from these.`,
        )
    })

  erase
    .command('before')
    .description('Erases that of all events published before a time.')
    .argument('<time>', 'a date, or how long ago (90d)', parsePast)
    .addOption(new Option('--account <id>', 'of this account').env('CALLBOARD_ACCOUNT'))
    .addOption(new Option('--all-accounts', 'of every account').conflicts('account'))
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      examples('callboard erase before 90d --account acc_1', 'callboard erase before 2026-01-01 --all-accounts --yes'),
    )
    .action(async (horizon: Date, { account, allAccounts, ...asked }: BeforeOptions) => {
      if (account === undefined && allAccounts !== true) throw wrongUsage('Say whose: --account, or --all-accounts.')
      const callboard = await context.open(NEEDS)
      const whose = account ?? 'EVERY account'
      await ask(asked, `Erase the personal data of all events of ${whose} published before ${horizon.toISOString()}?`)
      tell(await callboard.erasure.before({ account, horizon }))
    })

  return erase
}

/** Whose personal data no person's id leads to. */
function hidesPersons({ personalDataPaths, personPath }: EventType): boolean {
  return personalDataPaths.length > 0 && personPath === undefined
}
