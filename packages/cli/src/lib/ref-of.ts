import type { Callboard } from '@callboard/core'
import type { SubscriptionRef } from '@callboard/core/store'
import type { InMode, OfAnyAccount } from './account-options.ts'
import { CommandError, notFound, wrongUsage } from './command-error.ts'

/**
 * Adds the account and the mode to the id of a key, subscription or event. If no account is given, finds the account
 * and mode that the id belongs to. Several accounts may have an event with the same id; one must then be named.
 */
export async function refOf(
  { accounts }: Callboard,
  id: string,
  { account, mode }: OfAnyAccount & Partial<InMode>,
): Promise<SubscriptionRef> {
  if (account !== undefined) return { accountId: account, mode: mode ?? 'live', id }
  const owners = await accounts.ownersOf({ id })
  const [owner] = owners
  if (owner === undefined) throw unknown(id)
  if (owners.length > 1)
    throw new CommandError(
      `Several accounts or modes have ${id}; name one of them:\n${owners
        .map(({ accountId, mode: each }) => `  --account ${accountId} --mode ${each}`)
        .join('\n')}`,
    )
  return { ...owner, id }
}

const KINDS: Readonly<Record<string, string>> = { key: 'API key', sub: 'subscription', evt: 'event' }

function unknown(id: string): CommandError {
  const kind = KINDS[id.split('_', 1)[0] ?? '']
  return kind === undefined
    ? wrongUsage(
        `“${id}” is not an id: no key, subscription or event has it. Generated ids begin with key_, sub_ or evt_.`,
      )
    : notFound(`There is no ${kind} with the id ${id}.`)
}
