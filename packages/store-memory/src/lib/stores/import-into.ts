import { type ImportedSubscription, type ImportOutcome, STANDARD_SIGNATURES } from '@callboard/core/store'
import { isAnotherInput } from '../is-another-input.ts'
import {
  type AccountState,
  homesOf,
  keyOfBytes,
  type MemoryState,
  present,
  type SubscriptionState,
} from '../memory-state.ts'
import { add, drop, newState } from '../mode-subscriptions.ts'
import { recordEntry } from './audit-store.ts'

/** Imports subscriptions one after the other, as `SubscriptionStore.importSubscriptions` says. */
export function importInto(
  state: MemoryState,
  subscriptions: readonly ImportedSubscription[],
  { total, dryRun }: { readonly total: number; readonly dryRun: boolean },
): ImportOutcome[] {
  const undo: (() => void)[] = []
  const outcomes = subscriptions.map((imported): ImportOutcome => {
    const { accountId, mode, id } = imported
    const account = state.accounts.get(accountId)
    if (account === undefined) return { outcome: 'account_unknown' }
    const same = findImported(state, account, imported)
    if (same !== undefined) return outcomeOf(same, imported)
    const home = account.modes[mode]
    if (present(home).length >= total) return { outcome: 'limit_reached' }
    const key = keyOfBytes(imported.identity)
    const identity = home.subscriptionsByIdentity.has(key) ? undefined : key
    const subscription = { ...stateOf(state, imported), identity }
    add(home, subscription)
    if (dryRun) undo.push(() => drop(home, subscription))
    else recordEntry(state, imported.entry)
    return { outcome: identity === undefined ? 'duplicate' : 'imported', id }
  })
  for (const step of undo) step()
  return outcomes
}

function outcomeOf({ record, digest, removed }: SubscriptionState, imported: ImportedSubscription): ImportOutcome {
  const isOther = record.accountId !== imported.accountId || record.mode !== imported.mode || digest === undefined
  if (isOther) return { outcome: 'taken' }
  if (removed) return { outcome: 'removed' }
  return isAnotherInput(digest, imported.digests) ? { outcome: 'changed' } : { outcome: 'existing', id: record.id }
}

function stateOf(
  state: MemoryState,
  { laneId, named, digests, identity, entry, ...imported }: ImportedSubscription,
): SubscriptionState {
  const { secrets, signatures = STANDARD_SIGNATURES, disabledReason } = imported
  const isDisabled = disabledReason !== undefined
  const fresh = newState(state, {
    ...imported,
    source: 'api',
    secrets: secrets.filter((secret) => secret !== undefined),
    signatures,
    state: isDisabled ? 'disabled' : 'active',
    ordering: 'none',
    confirmedBy: undefined,
  })
  return {
    ...fresh,
    laneId,
    digest: digests[0],
    lane: { ...fresh.lane, state: isDisabled ? 'disabled' : 'idle' },
    disabledAt: isDisabled ? state.now() : undefined,
  }
}

/** The subscription, removed or not, with the same id; without an id of its own, the one with the same digest. */
function findImported(
  state: MemoryState,
  { modes: own }: AccountState,
  { mode, id, named, digests }: ImportedSubscription,
): SubscriptionState | undefined {
  if (!named)
    return [...own[mode].subscriptions.values()].find(({ digest }) => digest !== undefined && digests.includes(digest))
  return homesOf(state).flatMap(({ subscriptions }) => subscriptions.get(id) ?? [])[0]
}
