import type { Callboard, DeliveryRecord, DeliveryState } from '@callboard/core'
import { engineOf, type Nameable } from '@callboard/core/engine'
import { DELIVERY_STATES, RESENDABLE_STATES, type ResendableState, UNDELIVERED } from '@callboard/core/store'
import { Command, Option } from 'commander'
import { anyAccountOption, type InMode, modeOption, type OfAnyAccount } from '../account-options.ts'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../command-error.ts'
import { examples } from '../examples.ts'
import { parsePast } from '../option-values.ts'
import { CURSOR_KEYS, cursorOption, limitOption, moreNote, type PageOptions } from '../page-options.ts'
import { readPages } from '../pages.ts'
import { assertKind, refOf } from '../ref-of.ts'
import { confirmRange, resendRange } from '../resend-range.ts'
import { type ShowOptions, showDelivery } from '../show-delivery.ts'
import { nameColumn } from '../subscription-names.ts'
import type { Cell, Columns } from '../table.ts'
import { shortAnswer } from '../troubles.ts'

interface ListOptions extends OfAnyAccount, InMode, PageOptions {
  readonly subscription?: string
  readonly event?: string
  readonly state?: DeliveryState
  readonly type?: string
}

interface ResendOptions extends OfAnyAccount, InMode {
  readonly from?: Date
  readonly to?: Date
  readonly state?: readonly ResendableState[]
  readonly resume?: string
  readonly yes?: boolean
}

/** `callboard deliveries …`: shows and resends deliveries. */
export function deliveriesCommand(context: CommandContext): Command {
  const { out, err } = context
  const deliveries = new Command('deliveries')
    .summary('show and resend deliveries')
    .description('The deliveries of events to subscriptions.')

  deliveries
    .command('list')
    .description('Lists the deliveries of a subscription or of an event, newest first.')
    .addOption(anyAccountOption())
    .addOption(modeOption())
    .option('--subscription <id>', 'deliveries of this subscription')
    .addOption(new Option('--event <id>', 'deliveries of this event').conflicts(['subscription', 'type']))
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_STATES))
    .option('--type <type>', 'with --subscription: only deliveries of this event type')
    .addOption(limitOption())
    .addOption(cursorOption())
    .addHelpText(
      'after',
      examples(
        'callboard deliveries list --subscription sub_… --state exhausted',
        'callboard deliveries list --event evt_… --json',
      ),
    )
    .action(async ({ account, mode, subscription, event, state, type, limit, cursor }: ListOptions) => {
      if (subscription === undefined && event === undefined)
        throw wrongUsage('Specify which deliveries to list: use --subscription or --event.')
      const callboard = await context.open(cursor === undefined ? undefined : CURSOR_KEYS)
      const kind = event === undefined ? 'sub' : 'evt'
      const ref = await refOf(callboard, event ?? subscription ?? '', { account, mode, kind })
      const { items, nextCursor } = await readPages(limit, cursor, async (page) => {
        const { deliveries: read } = callboard
        const found =
          event === undefined
            ? await read.list({ ...ref, subscriptionId: ref.id, ...page, state, type })
            : await read.ofEvent({ ...ref, eventId: ref.id, ...page, state })
        return { items: found.deliveries, nextCursor: found.nextCursor }
      })
      const other: Columns<DeliveryRecord> =
        event === undefined
          ? { event: ({ eventId }) => eventId }
          : {
              subscription: ({ subscriptionId }) => subscriptionId,
              name: out.json ? () => undefined : await namesOf(items, callboard),
            }
      out.list(items, { ...other, ...COLUMNS }, { nextCursor })
      if (nextCursor !== null) err.note(await moreNote(context, nextCursor))
      else if (items.length === 0)
        err.note(`There are no such deliveries, or there is no such ${event === undefined ? 'subscription' : 'event'}.`)
    })

  deliveries
    .command('show <subscription> <event>')
    .description("Shows a delivery and its attempts, newest first, with the target's responses.")
    .addOption(anyAccountOption())
    .addOption(modeOption())
    .option('--full-responses', "print the target's responses whole, as far as they are stored")
    .addHelpText(
      'after',
      examples('callboard deliveries show sub_… evt_…', 'callboard deliveries show sub_… evt_… --full-responses'),
    )
    .action(async (subscription: string, event: string, options: OfAnyAccount & InMode & ShowOptions) => {
      assertKind('evt', event)
      const callboard = await context.open()
      await showDelivery(context, callboard, await refOf(callboard, subscription, options), event, options)
    })

  deliveries
    .command('resend <subscription> [event]')
    .description(
      'Resends one delivery or, with --from, everything undelivered whose event was published since that time, except ' +
        'what was skipped on purpose. Running the command again does not resend anything twice.',
    )
    .addOption(anyAccountOption())
    .addOption(modeOption())
    .option('--from <time>', 'resend events published since this time: a date, or an age such as 24h', parsePast)
    .option('--to <time>', 'resend events published before this time (default: now)', parsePast)
    .addOption(
      new Option(
        '--state <state...>',
        `only deliveries in these states; retrying means waiting for the next attempt (default: ${UNDELIVERED.join(', ')})`,
      ).choices(RESENDABLE_STATES),
    )
    .option('--resume <cursor>', 'continue an interrupted resend of a range at this cursor')
    .option(
      '--yes',
      'resend a range without asking; with --json or --resume, and outside a terminal, the command never asks',
    )
    .addHelpText(
      'after',
      examples(
        'callboard deliveries resend sub_… evt_…',
        'callboard deliveries resend sub_… --from 24h',
        'callboard deliveries resend sub_… --from 2026-11-20 --to 2026-11-22 --state exhausted disabled',
      ),
    )
    .action(async (subscription: string, event: string | undefined, options: ResendOptions) => {
      const { from, to, state, resume, yes } = options
      if (event === undefined) {
        if (from === undefined) throw wrongUsage('Choose what to resend: name an event, or give --from.')
        const callboard = await context.open(resume === undefined ? undefined : CURSOR_KEYS)
        const ref = await refOf(callboard, subscription, options)
        const range = { from, to, states: state ?? UNDELIVERED, resume }
        if (yes !== true) await confirmRange(context, callboard, ref, range)
        return resendRange(context, callboard, ref, range)
      }
      if (from ?? to ?? state ?? resume) throw wrongUsage('Name an event or a range, not both.')
      assertKind('evt', event)
      const callboard = await context.open()
      const { id: subscriptionId, ...owner } = await refOf(callboard, subscription, options)
      const outcome = await callboard.deliveries.resend({ ...owner, subscriptionId, eventId: event })
      context.done({ outcome }, OUTCOMES[outcome])
    })

  return deliveries
}

/** The names of the subscriptions of deliveries, for a table. */
async function namesOf(
  deliveries: readonly DeliveryRecord[],
  callboard: Callboard,
): Promise<(delivery: DeliveryRecord) => Cell> {
  const ids = new Set(deliveries.map(({ subscriptionId }) => subscriptionId))
  const objects = await engineOf(callboard).store.audit.findObjects([...ids])
  const found = new Map(
    objects.flatMap((each): [string, Nameable][] => ('subscription' in each ? [[each.id, each.subscription]] : [])),
  )
  const name = nameColumn([...found.values()])
  return ({ subscriptionId }) => {
    const subscription = found.get(subscriptionId)
    return subscription && name(subscription)
  }
}

const OUTCOMES = {
  scheduled: 'The delivery had ended. It starts over now, with a new retry schedule.',
  hastened: 'The delivery was retrying. Its next attempt is due now.',
  pending: 'The delivery already waits for an attempt, so there is nothing to resend.',
} as const

const COLUMNS: Columns<DeliveryRecord> = {
  type: ({ type }) => type,
  state: ({ state }) => state,
  attempts: ({ attempts }) => attempts,
  'last answer': ({ lastAttempt }) => shortAnswer(lastAttempt),
  'last attempt': ({ lastAttempt }) => lastAttempt?.at,
  'next attempt': ({ nextAttemptAt, pausedUntil }) => (pausedUntil === undefined ? nextAttemptAt : 'after the pause'),
}
