import type { SubscriptionRecord } from '@callboard/core'
import type { SubscriptionRef } from '@callboard/core/store'
import { Command } from 'commander'
import { accountOption, type InMode, modeOption, type OfAccount } from '../account-options.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandError } from '../command-error.ts'
import { examples } from '../examples.ts'
import { parseDuration } from '../option-values.ts'
import type { Columns } from '../table.ts'

type Shown = Omit<SubscriptionRecord, 'secrets'>

/** `callboard subscriptions …`: shows, disables and enables subscriptions, and rotates their secrets. */
export function subscriptionsCommand(context: CommandContext): Command {
  const { out, err } = context
  const subscriptions = new Command('subscriptions')
    .summary('show, disable and enable subscriptions, rotate their secrets')
    .description('The webhook subscriptions of an account.')

  subscriptions
    .command('list')
    .description('Lists the subscriptions of an account, newest first, without removed subscriptions.')
    .addOption(accountOption())
    .addOption(modeOption())
    .addHelpText('after', examples('callboard subscriptions list --account acc_1 --mode test'))
    .action(async ({ account, mode }: OfAccount & InMode) => {
      const callboard = await context.open()
      const records = await callboard.subscriptions.list({ accountId: account, mode })
      out.list(records.map(withoutSecrets), COLUMNS)
      if (records.length === 0) err.note(`There are no ${mode} subscriptions, or there is no such account.`)
    })

  subscriptions
    .command('show <subscription>')
    .description('Shows a subscription, without its signing secret.')
    .addOption(accountOption())
    .addOption(modeOption())
    .addHelpText('after', examples('callboard subscriptions show sub_… --account acc_1'))
    .action(async (id: string, options: OfAccount & InMode) => {
      const callboard = await context.open()
      const record = await callboard.subscriptions.find(refOf(id, options))
      if (record === undefined) throw new CommandError('There is no such subscription.')
      out.show(withoutSecrets(record), FIELDS)
    })

  subscriptions
    .command('disable <subscription>')
    .description(
      'Disables a subscription. Its pending and retrying deliveries end as disabled. ' +
        'Neither its account nor its integration can enable it again; "subscriptions enable" can.',
    )
    .addOption(accountOption())
    .addOption(modeOption())
    .addHelpText('after', examples('callboard subscriptions disable sub_… --account acc_1'))
    .action(async (id: string, options: OfAccount & InMode) => {
      const callboard = await context.open()
      await callboard.subscriptions.disable(refOf(id, options), { by: 'platform' })
      context.done({ id, state: 'disabled' }, `Disabled ${id}.`)
    })

  subscriptions
    .command('enable <subscription>')
    .description(
      'Enables a subscription, whatever disabled it. It gets the events published from now on. ' +
        'To send the events that it missed as well, run "deliveries resend --state disabled".',
    )
    .addOption(accountOption())
    .addOption(modeOption())
    .addHelpText('after', examples('callboard subscriptions enable sub_… --account acc_1'))
    .action(async (id: string, options: OfAccount & InMode) => {
      const callboard = await context.open()
      await callboard.subscriptions.enable(refOf(id, options), { by: 'platform' })
      context.done({ id, state: 'active' }, `Enabled ${id}.`)
    })

  subscriptions
    .command('rotate-secret <subscription>')
    .description(
      'Creates a new signing secret. Both secrets sign until the overlap ends. Only the new secret goes to stdout.',
    )
    .addOption(accountOption())
    .addOption(modeOption())
    .option('--overlap <duration>', 'how long both secrets sign (default: 24h)', parseDuration)
    .addHelpText('after', examples('callboard subscriptions rotate-secret sub_… --account acc_1 --overlap 7d'))
    .action(async (id: string, options: OfAccount & InMode & { readonly overlap?: number }) => {
      // Needs the platform's own key ring, because its workers could not open a secret that another key ring sealed.
      const callboard = await context.open('your secret keys, which seal signing secrets')
      const secret = await callboard.subscriptions.rotateSecret(refOf(id, options), {
        by: 'platform',
        overlapMs: options.overlap,
      })
      if (out.json) return out.document({ id, secret })
      out.line(secret)
      err.note('Give this secret to the receiver. Both secrets sign until the overlap ends.')
    })

  return subscriptions
}

function refOf(id: string, { account, mode }: OfAccount & InMode): SubscriptionRef {
  return { accountId: account, mode, id }
}

/** Leaves out the secrets, which are never printed, not even sealed. */
function withoutSecrets({ secrets: _, ...shown }: SubscriptionRecord): Shown {
  return shown
}

const stateOf = ({ state, disabledReason }: Shown): string =>
  disabledReason === undefined ? state : `${state} (${disabledReason})`

const COLUMNS: Columns<Shown> = {
  id: ({ id }) => id,
  state: stateOf,
  integration: ({ integration }) => integration,
  target: ({ targetUrl }) => targetUrl,
  'event types': ({ eventTypes }) => eventTypes.join(','),
  created: ({ createdAt }) => createdAt,
}

const FIELDS: Columns<Shown> = {
  ...COLUMNS,
  'event types': ({ eventTypes }) => eventTypes.join(', '),
  mode: ({ mode }) => mode,
  'created by': ({ source }) => source,
  'external ref': ({ externalRef }) => externalRef,
  'api version': ({ apiVersion }) => apiVersion,
  ordering: ({ ordering }) => ordering,
  key: ({ confirmedBy }) => confirmedBy,
  'personal data': ({ personalData }) => personalData ?? 'if its key has the scope',
}
