import type { SubscriptionRecord } from '@callboard/core'
import { type ImportedSubscription, type ImportOutcome, STANDARD_SIGNATURES } from '@callboard/core/store'
import { isAnotherInput } from '../is-another-input.ts'
import { type AccountState, keyOfBytes, type MemoryState, type SubscriptionState } from '../memory-state.ts'
import { add, newState, present } from '../mode-subscriptions.ts'
import { recordEntry } from './audit-store.ts'

/** Imports subscriptions one after the other, as `SubscriptionStore.importSubscriptions` says. */
export function importInto(
  state: MemoryState,
  subscriptions: readonly ImportedSubscription[],
  { total, dryRun }: { readonly total: number; readonly dryRun: boolean },
): ImportOutcome[] {
  const target = dryRun ? copyOf(state) : state
  return subscriptions.map((subscription) => importOne(target, subscription, total))
}

function importOne(state: MemoryState, imported: ImportedSubscription, total: number): ImportOutcome {
  const { accountId, mode, id, laneId, digests, disabledReason } = imported
  const account = state.accounts.get(accountId)
  if (account === undefined) return { outcome: 'account_unknown' }
  const same = findImported(state, account, imported)
  if (same !== undefined) {
    const { record, digest, removed } = same
    const isOther = record.accountId !== accountId || record.mode !== mode || digest === undefined
    if (isOther || isAnotherInput(digest, digests)) return { outcome: 'taken' }
    return removed ? { outcome: 'removed' } : { outcome: 'existing', id: record.id }
  }
  const home = account.modes[mode]
  if (present(home).length >= total) return { outcome: 'limit_reached' }
  const key = keyOfBytes(imported.identity)
  const identity = home.subscriptionsByIdentity.has(key) ? undefined : key
  const fresh = newState(state, recordOf(imported))
  const isDisabled = disabledReason !== undefined
  add(home, {
    ...fresh,
    laneId,
    digest: digests[0],
    identity,
    lane: { ...fresh.lane, state: isDisabled ? 'disabled' : 'idle' },
    disabledAt: isDisabled ? state.now() : undefined,
  })
  recordEntry(state, imported.entry)
  return { outcome: identity === undefined ? 'duplicate' : 'imported', id }
}

/** The subscription, removed or not, with the same id; without an id of its own, the one with the same digest. */
function findImported(
  { accounts }: MemoryState,
  { modes: own }: AccountState,
  { mode, id, named, digests }: ImportedSubscription,
): SubscriptionState | undefined {
  if (!named)
    return [...own[mode].subscriptions.values()].find(({ digest }) => digest !== undefined && digests.includes(digest))
  for (const { modes } of accounts.values()) {
    const found = modes.live.subscriptions.get(id) ?? modes.test.subscriptions.get(id)
    if (found !== undefined) return found
  }
  return undefined
}

function recordOf(imported: ImportedSubscription): SubscriptionRecord {
  const { accountId, mode, id, targetUrl, eventTypes, integration, externalRef, description, apiVersion } = imported
  const { secrets, signatures = STANDARD_SIGNATURES, personalData, disabledReason, createdAt } = imported
  return {
    accountId,
    mode,
    id,
    source: 'api',
    targetUrl,
    eventTypes,
    integration,
    externalRef,
    description,
    apiVersion,
    secrets: secrets.filter((secret) => secret !== undefined),
    signatures,
    state: disabledReason === undefined ? 'active' : 'disabled',
    disabledReason,
    ordering: 'none',
    confirmedBy: undefined,
    personalData,
    createdAt,
  }
}

/** A state whose accounts can take subscriptions without changing those of the original. */
function copyOf(state: MemoryState): MemoryState {
  const accounts = [...state.accounts].map(([id, account]): [string, AccountState] => {
    const { live, test } = account.modes
    return [id, { ...account, modes: { live: copyOfMode(live), test: copyOfMode(test) } }]
  })
  return { ...state, accounts: new Map(accounts), auditEntries: [] }
}

function copyOfMode(home: AccountState['modes']['live']): AccountState['modes']['live'] {
  return {
    ...home,
    subscriptions: new Map(home.subscriptions),
    subscriptionsByIdentity: new Map(home.subscriptionsByIdentity),
    subscriptionsByType: new Map(),
  }
}
