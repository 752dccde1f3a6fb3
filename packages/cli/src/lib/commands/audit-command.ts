import { type AuditEntry, type Callboard, MODES, type Mode } from '@callboard/core'
import { Command, Option } from 'commander'
import { actorName } from '../actor-name.ts'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../command-error.ts'
import { examples } from '../examples.ts'
import { CURSOR_KEYS, cursorOption, limitOption, moreNote, type PageOptions } from '../page-options.ts'
import { readPages } from '../pages.ts'
import type { Columns } from '../table.ts'

interface AuditOptions extends PageOptions {
  readonly account?: string
  readonly mode?: Mode
  readonly of?: string
}

/** `callboard audit`: lists who changed what in all accounts. */
export function auditCommand(context: CommandContext): Command {
  const { out, err } = context
  return new Command('audit')
    .summary('list who changed what')
    .description(
      'Lists who changed accounts, keys, subscriptions, secrets and deliveries, newest first. Changes made with this ' +
        'program carry the name in CALLBOARD_OPERATOR.',
    )
    .option('--account <id>', 'only changes to this account')
    .addOption(new Option('--mode <mode>', 'with --account: only changes to live or test data').choices(MODES))
    .option('--of <id>', 'only changes to this key or subscription')
    .addOption(limitOption())
    .addOption(cursorOption())
    .addHelpText('after', examples('callboard audit', 'callboard audit --account acc_1', 'callboard audit --of sub_…'))
    .action(async ({ account, mode, of, limit, cursor }: AuditOptions) => {
      if (mode !== undefined && account === undefined) throw wrongUsage('--mode needs --account.')
      const callboard = await context.open(cursor === undefined ? undefined : CURSOR_KEYS)
      const { items, nextCursor } = await readPages(limit, cursor, async (page) => {
        const found = await callboard.audit.list({ ...page, accountId: account, mode, objectId: of })
        return { items: found.entries, nextCursor: found.nextCursor }
      })
      out.list(items, columns(out.json ? new Map() : await callboard.audit.namesIn(items)), { nextCursor })
      if (nextCursor !== null) err.note(await moreNote(context, nextCursor))
      else if (items.length === 0) err.note('There are no such changes.')
      // Revoking a key disables its subscriptions, but the audit trail records only the change to the key.
      const key = of === undefined ? undefined : await keyOf(callboard, of)
      if (key !== undefined) err.note(`For changes to the key of this subscription: callboard audit --of ${key}`)
    })
}

async function keyOf({ accounts, subscriptions }: Callboard, id: string): Promise<string | undefined> {
  const [owner] = await accounts.ownersOf({ id })
  return owner && (await subscriptions.find({ ...owner, id }))?.confirmedBy
}

/** @param names of keys and subscriptions, by id. */
const columns = (names: ReadonlyMap<string, string>): Columns<AuditEntry> => ({
  at: ({ at }) => at,
  who: ({ actor }) => actorName(actor, names),
  action: ({ action }) => action,
  account: ({ accountId, mode }) => (mode === 'test' ? `${accountId} (test)` : accountId),
  of: ({ objectId }) => objectId,
  name: ({ objectId }) => objectId && names.get(objectId),
  details: ({ details }) =>
    Object.entries(details)
      .map(([name, value]) => `${name}: ${typeof value === 'object' ? value.join(', ') : value}`)
      .join('; '),
})
