import { type IssuedKey, type KeyRecord, type RevokedKey, SCOPES, type Scope } from '@callboard/core'
import { keyName } from '@callboard/core/engine'
import { Command, Option } from 'commander'
import {
  accountOption,
  anyAccountOption,
  type InMode,
  modeOption,
  type OfAccount,
  type OfAnyAccount,
} from '../account-options.ts'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../command-error.ts'
import { everyAccount } from '../every-account.ts'
import { examples } from '../examples.ts'
import { inNewestVersion } from '../in-newest-version.ts'
import { parseDuration, parseFuture } from '../option-values.ts'
import { CURSOR_KEYS, cursorOption, limitOption, moreNote, type PageOptions } from '../page-options.ts'
import { readPages } from '../pages.ts'
import { refOf } from '../ref-of.ts'
import { relativeTime } from '../relative-time.ts'
import { type Columns, formatCell } from '../table.ts'

interface IssueOptions extends OfAccount, InMode {
  readonly name: string
  readonly scope: readonly Scope[]
  readonly expires?: Date
  readonly apiVersion?: string
}

interface RotateOptions extends OfAnyAccount {
  readonly overlap?: number
  readonly expires?: Date
}

/** `callboard keys …`: issues, lists, rotates and revokes an account's API keys. */
export function keysCommand(context: CommandContext): Command {
  const { out, err } = context
  const keys = new Command('keys')
    .summary('issue, list, rotate, move and revoke API keys')
    .description("Manage an account's API keys.")

  /** Without `--json`, stdout gets only the token, so that it can be piped; stderr gets a note about the key. */
  const handOver = async ({ token, ...key }: IssuedKey): Promise<void> => {
    const { configured } = await context.platform()
    if (out.json) {
      out.document({ ...key, token })
      return
    }
    out.line(token)
    err.note(`${labelOf(key)}, ${key.mode}: ${key.scopes.join(', ')}. The token above will not be shown again.`)
    if (!configured && context.env['CALLBOARD_KEY_PREFIX'] === undefined)
      err.note(
        'The token begins with cb. If your platform has a different keyPrefix, it refuses this token: ' +
          'set CALLBOARD_KEY_PREFIX and issue another key.',
      )
  }

  keys
    .command('issue')
    .description(
      'Issues a key and prints its token to stdout. The token cannot be shown again, because tokens are not stored.',
    )
    .addOption(accountOption())
    .addOption(modeOption())
    .requiredOption('--name <name>', 'a name that people will recognise')
    .addOption(
      new Option('--scope <scope...>', 'what the key may do')
        .choices(SCOPES)
        .default(['webhooks.read', 'webhooks.write']),
    )
    .option('--expires <time>', 'when it expires: a date, or a time from now such as 90d (default: never)', parseFuture)
    .option('--api-version <date>', 'the format version to pin it to (default: the current one)')
    .addHelpText(
      'after',
      examples(
        'callboard keys issue --account acc_1 --name Zapier',
        'callboard keys issue --account acc_1 --name CRM --scope webhooks.read people.read --expires 90d | pbcopy',
      ),
    )
    .action(async ({ account, mode, name, scope, expires, apiVersion }: IssueOptions) => {
      const opened = await context.open()
      const { configured } = await context.platform()
      const { keys: issuing } = configured ? opened : await inNewestVersion(opened, apiVersion, context.env)
      const key = { accountId: account, mode, name, scopes: scope, expiresAt: expires, apiVersion }
      await handOver(await issuing.issue(key))
    })

  keys
    .command('list')
    .description(
      'Lists valid keys, then revoked and expired keys, each newest first. Without --account, it lists the keys of all ' +
        'accounts, one account after the other. Tokens cannot be shown, because they are not stored.',
    )
    .addOption(anyAccountOption('all accounts'))
    .addOption(limitOption())
    .addOption(cursorOption())
    .addHelpText('after', examples('callboard keys list', 'callboard keys list --account acc_1'))
    .action(async ({ account, limit, cursor }: OfAnyAccount & PageOptions) => {
      if (account === undefined && cursor !== undefined)
        throw wrongUsage('With --cursor, also give the --account that the cursor belongs to.')
      const callboard = await context.open(cursor === undefined ? undefined : CURSOR_KEYS)
      const records: KeyRecord[] = []
      let more: string | null = null
      for await (const accountId of everyAccount(callboard, account)) {
        // One key more than the limit shows whether there are more in all accounts.
        const missing = account === undefined ? limit + 1 - records.length : limit
        if (missing === 0) break
        const { items, nextCursor } = await readPages(missing, cursor, async (page) => {
          const { keys: found, nextCursor: next } = await callboard.keys.list({ accountId, ...page })
          return { items: found, nextCursor: next }
        })
        records.push(...items)
        more = nextCursor
      }
      const listed = records.slice(0, limit)
      if (account === undefined) {
        const hasMore = records.length > limit
        out.list(listed, { account: ({ accountId }) => accountId, ...COLUMNS }, { nextCursor: null, hasMore })
        if (hasMore) err.note('There are more: raise --limit')
      } else {
        out.list(listed, COLUMNS, { nextCursor: more, hasMore: more !== null })
        if (more !== null) err.note(await moreNote(context, more))
      }
      if (listed.length === 0)
        err.note(account === undefined ? 'There are no keys.' : 'The account has no keys, or there is no such account.')
    })

  keys
    .command('rotate <key>')
    .description(
      "Issues a successor with the same name, scopes and limits, and moves the key's subscriptions to it. " +
        'The old key stays valid until the overlap ends.',
    )
    .addOption(anyAccountOption())
    .option('--overlap <duration>', 'how long both keys are valid (default: 24h)', parseDuration)
    .option('--expires <time>', 'when the successor expires (default: never)', parseFuture)
    .addHelpText('after', examples('callboard keys rotate key_… --account acc_1 --overlap 7d'))
    .action(async (key: string, { overlap, expires, ...options }: RotateOptions) => {
      const callboard = await context.open()
      const { keys: rotating } = callboard
      const { accountId: account } = await refOf(callboard, key, { ...options, kind: 'key' })
      const successor = await rotating.rotate({ accountId: account, id: key, overlapMs: overlap, expiresAt: expires })
      await handOver(successor)
      if (out.json) return
      const old = await rotating.find({ accountId: account, id: key })
      const moved = await rotating.countSubscriptions({ accountId: account, id: successor.id })
      if (old?.expiresAt !== undefined) {
        const left = err.terminal ? ` (${relativeTime(old.expiresAt, new Date())})` : ''
        err.note(`${labelOf(old)} stays valid until ${old.expiresAt.toISOString()}${left}.`)
      }
      err.note(moved === 0 ? 'It had no active subscriptions.' : `${countOf(moved)} moved to ${labelOf(successor)}.`)
    })

  keys
    .command('move <key> <version>')
    .description('Pins a key to another format version. Its subscriptions keep their own versions.')
    .addOption(anyAccountOption())
    .addHelpText('after', examples('callboard keys move key_… 2026-10-01 --account acc_1'))
    .action(async (key: string, version: string, options: OfAnyAccount) => {
      const callboard = await context.open('your catalogue, which has the format versions')
      const { accountId } = await refOf(callboard, key, { ...options, kind: 'key' })
      const moved = await callboard.keys.setApiVersion({ accountId, id: key, apiVersion: version })
      context.done(moved, `Pinned ${labelOf(moved)} to ${moved.apiVersion}.`)
    })

  keys
    .command('revoke <key>')
    .description('Revokes a key at once, and disables its subscriptions. This cannot be undone.')
    .addOption(anyAccountOption())
    .addHelpText('after', examples('callboard keys revoke key_… --account acc_1'))
    .action(async (key: string, options: OfAnyAccount) => {
      const callboard = await context.open()
      const { accountId } = await refOf(callboard, key, { ...options, kind: 'key' })
      const revoked = await callboard.keys.revoke({ accountId, id: key })
      context.done(revoked, `Revoked ${labelOf(revoked)}. ${whatEnded(revoked)}`)
    })

  return keys
}

const COLUMNS: Columns<KeyRecord> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  token: ({ lastCharacters }) => lastCharacters && `…${lastCharacters}`,
  mode: ({ mode }) => mode,
  scopes: ({ scopes }) => scopes.join(','),
  state: stateOf,
  version: ({ apiVersion }) => apiVersion,
  created: ({ createdAt }) => createdAt,
  'last used': ({ lastUsedAt }) => lastUsedAt,
}

/** Names a key in a message: `Zapier …x7Qp (key_…)`. */
function labelOf(key: KeyRecord): string {
  return `${formatCell(keyName(key))} (${key.id})`
}

function whatEnded({ disabledSubscriptions: disabled, successorId }: RevokedKey): string {
  if (disabled > 0) return `${countOf(disabled)} ${disabled === 1 ? 'was' : 'were'} disabled (reason: key).`
  if (successorId !== undefined)
    return `Its subscriptions were not disabled, because they belong to its successor ${successorId}.`
  return 'It had no active subscriptions.'
}

function countOf(subscriptions: number): string {
  return subscriptions === 1 ? '1 subscription' : `${subscriptions} subscriptions`
}

function stateOf({ revokedAt, expiresAt, successorId }: KeyRecord): string {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt !== undefined && expiresAt.getTime() <= Date.now()) return 'expired'
  return successorId === undefined ? 'valid' : 'rotated'
}
