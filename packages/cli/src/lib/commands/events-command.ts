import type { Envelope } from '@callboard/core'
import { Command } from 'commander'
import {
  accountOption,
  anyAccountOption,
  type InMode,
  modeOption,
  type OfAccount,
  type OfAnyAccount,
} from '../account-options.ts'
import type { CommandContext } from '../command-context.ts'
import { notFound, wrongUsage } from '../command-error.ts'
import { everyAccount } from '../every-account.ts'
import { examples } from '../examples.ts'
import { parsePast } from '../option-values.ts'
import { cursorOption, limitOption, moreNote, type PageOptions } from '../page-options.ts'
import { readPages } from '../pages.ts'
import { readData } from '../read-data.ts'
import { refOf } from '../ref-of.ts'
import type { Columns } from '../table.ts'

interface PublishOptions extends OfAccount, InMode {
  readonly subject: string
  readonly data: string
  readonly idempotencyKey?: string
  readonly correlationId?: string
  readonly occurredAt?: Date
}

interface ListOptions extends OfAnyAccount, InMode, PageOptions {
  readonly type?: string
  readonly personalData?: true
}

const CATALOG = 'your catalogue, which defines your event types and their personal data'

/** `callboard events …`: publishes and shows events. */
export function eventsCommand(context: CommandContext): Command {
  const { out, err } = context
  const events = new Command('events')
    .summary('publish and show events')
    .description('The events of an account. These commands need callboard.config.ts.')

  events
    .command('publish <type>')
    .description("Publishes an event, validated against its type's schema like any event of your platform.")
    .addOption(accountOption())
    .addOption(modeOption())
    .requiredOption('--data <json>', "the event's data as JSON, or @file to read a file, or - to read stdin")
    .requiredOption('--subject <type:id>', 'what the event is about, such as order:ord_1')
    .option('--idempotency-key <key>', 'publishing again with the same key has no effect')
    .option('--correlation-id <id>', 'an id shared by events with the same cause')
    .option('--occurred-at <time>', 'when the event happened: a date, or an age such as 1h (default: now)', parsePast)
    .addHelpText(
      'after',
      examples(
        'callboard events publish order.paid --account acc_1 --subject order:ord_1 --data \'{"order":{"id":"ord_1"}}\'',
        'jq .order order.json | callboard events publish order.paid --account acc_1 --subject order:ord_1 --data -',
      ),
    )
    .action(async (type: string, options: PublishOptions) => {
      const data = await readData(options.data, context)
      const subject = parseSubject(options.subject)
      const callboard = await context.open(CATALOG)
      const { account, mode, idempotencyKey, correlationId, occurredAt } = options
      const event = await callboard.publish({
        ...{ accountId: account, mode, type, data, subject },
        ...{ idempotencyKey, correlationId, occurredAt },
      })
      if (out.json) return out.document(event)
      out.line(event.id)
      err.note(event.repeated ? 'Already published: this is the id of the earlier event.' : `Published ${type}.`)
    })

  events
    .command('list')
    .description(
      'Lists recent events, newest first, as GET /v1/events does. Without --account, it lists the newest events of ' +
        'all accounts.',
    )
    .addOption(anyAccountOption('all accounts'))
    .addOption(modeOption())
    .option('--type <type>', 'only events of this type')
    .option('--personal-data', 'with --json: include personal data')
    .addOption(limitOption())
    .addOption(cursorOption())
    .addHelpText(
      'after',
      examples(
        'callboard events list --type order.paid',
        "callboard events list --account acc_1 --limit 500 --json | jq '.data[].subject.id'",
      ),
    )
    .action(async ({ account, mode, type, limit, cursor, personalData }: ListOptions) => {
      if (account === undefined && cursor !== undefined)
        throw wrongUsage('With --cursor, also give the --account that the cursor belongs to.')
      const callboard = await context.open(CATALOG)
      const newestOf = (accountId: string) =>
        readPages(limit, cursor, async (query) => {
          const page = await callboard.events.page({ accountId, mode, personalData, type, ...query })
          return { items: page.data, nextCursor: page.nextCursor }
        })
      if (account === undefined) {
        let newest: Envelope[] = []
        for await (const accountId of everyAccount(callboard, undefined)) {
          const { items } = await newestOf(accountId)
          newest = [...newest, ...items].sort(newestFirst).slice(0, limit)
        }
        out.list(newest, { account: (event) => event.account.id, ...COLUMNS }, { nextCursor: null, hasMore: false })
        if (newest.length === 0) err.note(`There are no such ${mode} events.`)
        return
      }
      const { items, nextCursor } = await newestOf(account)
      out.list(items, COLUMNS, { nextCursor, hasMore: nextCursor !== null })
      if (nextCursor !== null) err.note(await moreNote(context, nextCursor))
      else if (items.length === 0) err.note(`There are no such ${mode} events, or there is no such account.`)
    })

  events
    .command('show <event>')
    .description('Shows the envelope of an event, as receivers get it.')
    .addOption(anyAccountOption())
    .addOption(modeOption())
    .option('--personal-data', 'include personal data')
    .addHelpText('after', examples('callboard events show evt_…'))
    .action(
      async (id: string, { personalData, ...options }: OfAnyAccount & InMode & Pick<ListOptions, 'personalData'>) => {
        const callboard = await context.open(CATALOG)
        const event = await callboard.events.find({
          ...(await refOf(callboard, id, { ...options, kind: 'evt' })),
          personalData,
        })
        if (event === undefined) throw notFound('There is no such event in this account and mode.')
        out.document(event)
      },
    )

  return events
}

/** Sorts as `GET /v1/events` does: by time, then by id, newest first. */
function newestFirst(one: Envelope, other: Envelope): number {
  const [a, b] = [`${one.occurred_at} ${one.id}`, `${other.occurred_at} ${other.id}`]
  return a < b ? 1 : -1
}

function parseSubject(text: string): { readonly type: string; readonly id: string } {
  const [, type, id] = /^([^:]+):(.+)$/.exec(text) ?? []
  if (type === undefined || id === undefined) throw wrongUsage('--subject must look like order:ord_1.')
  return { type, id }
}

const COLUMNS: Columns<Envelope> = {
  id: ({ id }) => id,
  type: ({ type }) => type,
  'occurred at': (event) => new Date(event.occurred_at),
  subject: ({ subject }) => `${subject.type}:${subject.id}`,
  sequence: ({ subject }) => subject.sequence,
}
