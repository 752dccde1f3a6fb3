import { isCallboardError, type SubscriptionInput } from '@callboard/core'
import { validationFailed } from '@callboard/core/engine'
import { Command } from 'commander'
import { accountOption, type InMode, modeOption, type OfAccount } from '../account-options.ts'
import type { CommandContext } from '../command-context.ts'
import { examples } from '../examples.ts'
import { labelOf } from '../subscription-names.ts'

interface CreateOptions
  extends OfAccount,
    InMode,
    Pick<SubscriptionInput, 'integration' | 'description' | 'personalData' | 'apiVersion'> {
  readonly target: string
  readonly type: readonly string[]
}

/** `callboard subscriptions create`. */
export function createSubscription(context: CommandContext): Command {
  const { out, err } = context
  return new Command('create')
    .description(
      "Creates a subscription for the account's people, who can change it in the dashboard. It gets the events published " +
        'from now on. Only its signing secret goes to stdout.',
    )
    .addOption(accountOption())
    .addOption(modeOption())
    .requiredOption('--target <url>', 'the HTTPS address that receives the events')
    .requiredOption('--type <type...>', 'the event types to send')
    .option('--description <text>', "a label for the account's people")
    .option('--integration <name>', 'the integration that receives the events (default: other)')
    .option('--personal-data', 'send personal data (default: leave it out)')
    .option('--api-version <date>', 'the format version to pin it to (default: the current one)')
    .addHelpText(
      'after',
      examples(
        'callboard subscriptions create --account acc_1 --target https://example.com/hooks --type order.paid',
        'callboard subscriptions create --account acc_1 --target https://example.com/hooks --type order.paid ' +
          'order.refunded --description CRM --personal-data | pbcopy',
      ),
    )
    .action(async ({ account, mode, target, type, ...input }: CreateOptions) => {
      const { subscriptions } = await context.open('your catalogue and your secret keys, which seal signing secrets')
      const { secrets: _, ...created } = await subscriptions
        .create({ ...{ ...input, accountId: account, mode }, ...{ targetUrl: target, eventTypes: type } })
        .catch((error: unknown) => {
          throw explained(error, subscriptions.checkTarget({ targetUrl: target })?.explanation)
        })
      if (out.json) return out.document(created)
      out.line(created.secret)
      err.note(`Created ${labelOf(created)}. Give the receiver the secret above: it will not be shown again.`)
    })
}

/** Says which rule refused the target, which the error itself tells nobody. */
function explained(error: unknown, explanation: string | undefined): unknown {
  if (explanation === undefined || !isCallboardError(error, 'VALIDATION_FAILED')) return error
  return validationFailed(
    error.issues.map((issue) => (issue.code === 'TARGET' ? { ...issue, message: explanation } : issue)),
  )
}
