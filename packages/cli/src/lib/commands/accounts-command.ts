import type { Account } from '@callboard/core'
import { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { notFound } from '../command-error.ts'
import { examples } from '../examples.ts'
import { limitOption } from '../page-options.ts'
import { readPages } from '../pages.ts'
import type { Columns } from '../table.ts'

/** `callboard accounts …`: creates, lists and shows the accounts of the platform's customers. */
export function accountsCommand(context: CommandContext): Command {
  const { out } = context
  const accounts = new Command('accounts')
    .summary('create, list and show accounts')
    .description('The accounts of your platform: its customers.')

  accounts
    .command('create <id>')
    .description('Creates an account for one of your customers, under the id that your platform uses.')
    .requiredOption('--name <name>', 'display name of the account; its events contain this name')
    .addHelpText('after', examples('callboard accounts create acc_1 --name "Harbour Hall"'))
    .action(async (id: string, { name }: { readonly name: string }) => {
      const callboard = await context.open()
      await callboard.accounts.create({ id, name })
      context.done({ id, name }, `Created ${id}.`)
    })

  accounts
    .command('list')
    .description('Lists accounts in the order of their ids.')
    .addOption(limitOption())
    .option('--after <id>', 'only accounts whose ids come after this one')
    .addHelpText('after', examples('callboard accounts list', 'callboard accounts list --after acc_1 --limit 100'))
    .action(async ({ limit, after }: { readonly limit: number; readonly after?: string }) => {
      const callboard = await context.open()
      const { items, nextCursor } = await readPages(limit, after, async ({ limit: size, cursor }) => {
        const found = await callboard.accounts.list({ after: cursor, limit: size + 1 })
        const page = found.slice(0, size)
        return { items: page, nextCursor: found.length > size ? (page.at(-1)?.id ?? null) : null }
      })
      out.list(items, FIELDS, { nextCursor })
      if (nextCursor !== null) context.err.note(`There are more: raise --limit, or continue with --after ${nextCursor}`)
      else if (items.length === 0) context.err.note('There are no accounts.')
    })

  accounts
    .command('show <id>')
    .description('Shows an account.')
    .addHelpText('after', examples('callboard accounts show acc_1'))
    .action(async (id: string) => {
      const callboard = await context.open()
      const account = await callboard.accounts.find({ id })
      if (account === undefined) throw notFound('There is no such account.')
      out.show(account, FIELDS)
    })

  return accounts
}

const FIELDS: Columns<Account> = { id: ({ id }) => id, name: ({ name }) => name }
