import type { DeliveryRecord, DeliveryState, ResendableState } from '@callboard/core'
import { Command, Option } from 'commander'
import { accountOption, type InMode, modeOption, type OfAccount } from '../account-options.ts'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../command-error.ts'
import { examples } from '../examples.ts'
import { parsePast } from '../option-values.ts'
import { CURSOR_KEYS, cursorOption, limitOption, moreNote, type PageOptions } from '../page-options.ts'
import { readPages } from '../pages.ts'
import { resendRange } from '../resend-range.ts'
import { showDelivery } from '../show-delivery.ts'
import type { Columns } from '../table.ts'

const RESENDABLE: readonly ResendableState[] = ['retrying', 'exhausted', 'skipped', 'disabled']
const STATES: readonly DeliveryState[] = ['pending', 'delivered', ...RESENDABLE, 'expired']

interface ListOptions extends OfAccount, InMode, PageOptions {
  readonly subscription?: string
  readonly event?: string
  readonly state?: DeliveryState
  readonly type?: string
}

interface ResendOptions extends OfAccount, InMode {
  readonly from?: Date
  readonly to?: Date
  readonly state?: readonly ResendableState[]
  readonly resume?: string
}

/** `callboard deliveries …`: what became of events, and sending them again. */
export function deliveriesCommand(context: CommandContext): Command {
  const { out, err } = context
  const deliveries = new Command('deliveries').description('What became of events on their way to subscriptions.')

  deliveries
    .command('list')
    .description('Lists the deliveries of a subscription, or those of an event, newest first.')
    .addOption(accountOption())
    .addOption(modeOption())
    .option('--subscription <id>', 'of this subscription')
    .addOption(new Option('--event <id>', 'of this event').conflicts(['subscription', 'type']))
    .addOption(new Option('--state <state>', 'only in this state').choices(STATES))
    .option('--type <type>', 'with --subscription: only of this event type')
    .addOption(limitOption())
    .addOption(cursorOption())
    .addHelpText(
      'after',
      examples(
        'callboard deliveries list --account acc_1 --subscription sub_… --state exhausted',
        'callboard deliveries list --account acc_1 --event evt_… --json',
      ),
    )
    .action(async ({ account, mode, subscription, event, state, type, limit, cursor }: ListOptions) => {
      if (subscription === undefined && event === undefined) throw wrongUsage('Say which: --subscription or --event.')
      const callboard = await context.open(cursor === undefined ? undefined : CURSOR_KEYS)
      const { items, nextCursor } = await readPages(limit, cursor, async (page) => {
        const { deliveries: read } = callboard
        const found =
          event === undefined
            ? await read.list({ accountId: account, mode, id: subscription ?? '' }, { ...page, state, type })
            : await read.ofEvent({ account, mode, id: event }, { ...page, state })
        return { items: found.deliveries, nextCursor: found.nextCursor }
      })
      const other: Columns<DeliveryRecord> =
        event === undefined
          ? { event: ({ eventId }) => eventId }
          : { subscription: ({ subscriptionId }) => subscriptionId }
      out.list(items, { ...other, ...COLUMNS }, { nextCursor })
      if (nextCursor !== null) err.note(moreNote(nextCursor))
      else if (items.length === 0)
        err.note(`There are none, or there is no such ${event === undefined ? 'subscription' : 'event'}.`)
    })

  deliveries
    .command('show <subscription> <event>')
    .description('Shows how a delivery stands, and every attempt at it, newest first, with what the target answered.')
    .addOption(accountOption())
    .addOption(modeOption())
    .addHelpText('after', examples('callboard deliveries show sub_… evt_… --account acc_1'))
    .action(async (subscription: string, event: string, { account, mode }: OfAccount & InMode) => {
      await showDelivery(context, { accountId: account, mode, id: subscription }, event)
    })

  deliveries
    .command('resend <subscription> [event]')
    .description(
      'Sends one event to a subscription again; or, with --from, all that ended without success of the events published since. Nothing is sent twice by doing it twice.',
    )
    .addOption(accountOption())
    .addOption(modeOption())
    .option('--from <time>', 'published since then: a date, or how long ago (24h)', parsePast)
    .option('--to <time>', 'published before then; up to now by default', parsePast)
    .addOption(
      new Option(
        '--state <state...>',
        'how they ended, or retrying: what waits for its next try (default: exhausted)',
      ).choices(RESENDABLE),
    )
    .option('--resume <cursor>', 'where an interrupted range goes on')
    .addHelpText(
      'after',
      examples(
        'callboard deliveries resend sub_… evt_… --account acc_1',
        'callboard deliveries resend sub_… --account acc_1 --from 24h',
        'callboard deliveries resend sub_… --account acc_1 --from 2026-11-20 --to 2026-11-22 --state exhausted disabled',
      ),
    )
    .action(async (subscription: string, event: string | undefined, options: ResendOptions) => {
      const { account, mode, from, to, state, resume } = options
      const ref = { accountId: account, mode, id: subscription }
      if (event === undefined) {
        if (from === undefined) throw wrongUsage('Say which: an event, or --from when.')
        const callboard = await context.open(resume === undefined ? undefined : CURSOR_KEYS)
        return resendRange(context, callboard, ref, { from, to, states: state ?? ['exhausted'], resume })
      }
      if (from ?? to ?? state ?? resume) throw wrongUsage('Name an event or a range, not both.')
      const callboard = await context.open()
      const outcome = await callboard.deliveries.resend(ref, event)
      context.done({ outcome }, OUTCOMES[outcome])
    })

  return deliveries
}

const OUTCOMES = {
  scheduled: 'It had ended, and has a new schedule that starts now.',
  hastened: 'It was being retried: its next try is due now.',
  pending: 'It has not been tried yet, and goes out in its turn.',
} as const

const COLUMNS: Columns<DeliveryRecord> = {
  type: ({ type }) => type,
  state: ({ state }) => state,
  tries: ({ tries }) => tries,
  'last answer': ({ lastAttempt }) => lastAttempt?.status ?? lastAttempt?.reason,
  'last try': ({ lastAttempt }) => lastAttempt?.at,
  'next try': ({ nextTryAt }) => nextTryAt,
}
