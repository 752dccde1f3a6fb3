import type { NewAccount } from '../ports/account-store.ts'
import type { EventDraft, PublishOutcome } from '../ports/event-store.ts'

/**
 * The accounts to create before drafts are published again; none if an unknown account may not be created, or if a
 * draft is refused for another reason.
 *
 * @param outcomes the outcome of each draft; undefined for one that would be stored.
 */
export function accountsToCreate(
  drafts: readonly EventDraft[],
  outcomes: readonly (PublishOutcome['outcome'] | undefined)[],
): NewAccount[] {
  if (outcomes.includes('conflict')) return []
  const accounts = new Map<string, NewAccount>()
  for (const [index, { accountId, newAccount }] of drafts.entries()) {
    if (outcomes[index] !== 'account_unknown') continue
    if (newAccount === undefined) return []
    accounts.set(accountId, accounts.get(accountId) ?? newAccount)
  }
  return [...accounts.values()]
}
