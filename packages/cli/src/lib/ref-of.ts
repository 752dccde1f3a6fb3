import type { Callboard } from '@callboard/core'
import { type IdPrefix, prefixOf, type SubscriptionRef } from '@callboard/core/store'
import type { InMode, OfAnyAccount } from './account-options.ts'
import { CommandError, notFound, wrongUsage } from './command-error.ts'

/**
 * Adds the account and the mode to the id of a key, subscription or event. If no account is given, finds the account
 * and mode that the id belongs to. Several accounts may have an event with the same id; one must then be named.
 *
 * @param kind the kind of id that the command takes; that of a subscription by default.
 * @throws CommandError if the id belongs to another kind of object, or to none.
 */
export async function refOf(
  { accounts }: Callboard,
  id: string,
  { account, mode, kind = 'sub' }: OfAnyAccount & Partial<InMode> & { readonly kind?: IdKind | undefined },
): Promise<SubscriptionRef> {
  assertKind(kind, id)
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

type IdKind = 'key' | 'sub' | 'evt'
const KINDS: Readonly<Record<string, string>> = { key: 'API key', sub: 'subscription', evt: 'event' }

const OWNERS: Readonly<Record<IdPrefix, string>> = {
  key: "an API key's id",
  sub: "a subscription's id",
  evt: "an event's id",
  att: "an attempt's id",
  req: "a request's id",
  test: "a test event's id",
}

/** Refuses an id that belongs to another kind of object than the command takes. */
export function assertKind(kind: IdKind, id: string): void {
  const found = prefixOf(id)
  if (found !== undefined && found !== kind) throw wrongUsage(`${id} is ${OWNERS[found]}. Give ${OWNERS[kind]}.`)
}

function unknown(id: string): CommandError {
  const kind = KINDS[id.split('_', 1)[0] ?? '']
  return kind === undefined
    ? wrongUsage(
        `“${id}” is not an id: no key, subscription or event has it. Generated ids begin with key_, sub_ or evt_.`,
      )
    : notFound(`There is no ${kind} with the id ${id}.`)
}
