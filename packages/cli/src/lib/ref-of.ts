import type { Callboard } from '@callboard/core'
import type { SubscriptionRef } from '@callboard/core/store'
import type { InMode, OfAnyAccount } from './account-options.ts'
import { CommandError } from './command-error.ts'

/**
 * Adds the account and the mode to the id of a key, subscription or event. If no account is given, finds the account
 * and mode that the id belongs to.
 */
export async function refOf(
  { accounts }: Callboard,
  id: string,
  { account, mode }: OfAnyAccount & Partial<InMode>,
): Promise<SubscriptionRef> {
  if (account !== undefined) return { accountId: account, mode: mode ?? 'live', id }
  const owner = await accounts.ownerOf(id)
  if (owner === undefined) throw new CommandError(`No account has ${id}.`)
  return { ...owner, id }
}
