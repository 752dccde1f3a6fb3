import type { Callboard, Owner } from '@callboard/core'
import { Command } from 'commander'
import { accountOption, type OfAccount } from '../account-options.ts'
import type { CommandContext } from '../command-context.ts'
import { examples } from '../examples.ts'
import { samplePublish } from '../sample-publish.ts'

/** `callboard trigger`: publishes an event type's sample in test mode. */
export function triggerCommand(context: CommandContext): Command {
  const { out, err } = context
  return new Command('trigger')
    .argument('<type>', 'the event type')
    .summary("publish an event type's sample in test mode")
    .description(
      "Publishes an event type's sample in test mode. The event has livemode false, and only subscriptions and keys " +
        'of test mode get it. Needs callboard.config.ts.',
    )
    .addOption(accountOption())
    .addHelpText('after', examples('callboard trigger order.paid --account acc_1'))
    .action(async (type: string, { account }: OfAccount) => {
      const callboard = await context.open('your catalogue, which has the samples')
      const owner = { accountId: account, mode: 'test' } as const
      const event = await callboard.publish({ ...owner, ...samplePublish(callboard, type) })
      if (out.json) return out.document(event)
      out.line(event.id)
      err.note(`Published ${type} in test mode. ${await whoGetsIt(callboard, owner, type)}`)
    })
}

async function whoGetsIt({ subscriptions }: Callboard, owner: Owner, type: string): Promise<string> {
  const records = await subscriptions.list(owner)
  const count = records.filter(({ state, eventTypes }) => state === 'active' && eventTypes.includes(type)).length
  if (count === 0) return 'No active test subscription receives it. `callboard events list --mode test` shows it.'
  return count === 1 ? '1 test subscription receives it.' : `${count} test subscriptions receive it.`
}
