import type { AccountErasure, ErasureReport, PersonErasureReport } from '@callboard/core'
import { Command, Option } from 'commander'
import { accountOption, type OfAccount } from '../account-options.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandError, wrongUsage } from '../command-error.ts'
import { examples } from '../examples.ts'
import { parseDuration, parsePast } from '../option-values.ts'

interface Asked {
  readonly yes?: true
  readonly wait?: number
}

interface BeforeOptions extends Asked {
  readonly account?: string
  readonly allAccounts?: true
}

const waitOption = (): Option =>
  new Option(
    '--wait <duration>',
    'how long to wait for database transactions that have published events (default: 10s)',
  ).argParser(parseDuration)

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
  const tell = (report: ErasureReport): void => {
    context.done(report, `Erased personal data from ${countsOf(report)}.`)
    if (report.accounts.length > 1)
      for (const account of report.accounts) context.err.note(`  ${account.accountId}: ${countsOf(account)}`)
  }
  const failIfIncomplete = ({ openTransactions }: ErasureReport): void => {
    if (openTransactions > 0)
      throw new CommandError(
        `${openTransactions} database transactions that had published events were still open when this command ` +
          'stopped waiting for them. Run it again once they have ended, to erase what they have published.',
      )
  }

  const noteUnattributed = ({ unattributed }: PersonErasureReport): void => {
    if (unattributed.length === 0) return
    const types = unattributed.map(({ type, events }) => `${events} of ${type}`).join(', ')
    context.err.note(
      `These events of the account may hold personal data but name no person, so they were not erased: ${types}. ` +
        'Their type has no personPath, or had none when they were published. Use "erase before" for them.',
    )
  }

  erase
    .command('person <id>')
    .description(
      'Erases the personal data of one person, in both modes. The personPath of an event type says where its events ' +
        'name the person. Also says how many events name nobody.',
    )
    .addOption(accountOption())
    .addOption(waitOption())
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', examples('callboard erase person per_1 --account acc_1'))
    .action(async (personId: string, { account, wait: waitMs, ...asked }: OfAccount & Asked) => {
      const callboard = await context.open(NEEDS)
      await ask(asked, `Erase the personal data of ${personId} from all events of ${account}?`)
      const report = await callboard.erasure.person({ accountId: account, personId, waitMs })
      tell(report)
      noteUnattributed(report)
      failIfIncomplete(report)
    })

  erase
    .command('before')
    .description('Erases the personal data of all events published before a given time.')
    .argument('<time>', 'a date, or an age such as 90d', parsePast)
    .addOption(new Option('--account <id>', 'only events of this account').env('CALLBOARD_ACCOUNT'))
    .addOption(new Option('--all-accounts', 'events of every account').conflicts('account'))
    .addOption(waitOption())
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      examples('callboard erase before 90d --account acc_1', 'callboard erase before 2026-01-01 --all-accounts --yes'),
    )
    .action(async (horizon: Date, { account, allAccounts, wait: waitMs, ...asked }: BeforeOptions) => {
      if (account === undefined && allAccounts !== true)
        throw wrongUsage('Choose whose data to erase: --account or --all-accounts.')
      const callboard = await context.open(NEEDS)
      const whose = account ?? 'EVERY account'
      await ask(asked, `Erase the personal data of all events of ${whose} published before ${horizon.toISOString()}?`)
      const report = await callboard.erasure.before({ accountId: account, horizon, waitMs })
      tell(report)
      failIfIncomplete(report)
    })

  return erase
}

function countsOf({ events, late, responses }: Omit<AccountErasure, 'accountId'>): string {
  const during = late === 0 ? '' : ` (${late} of them committed after the command began)`
  return `${events} events${during} and ${responses} responses`
}
