import { CallboardError, type SubscriptionRecord } from '@callboard/core'
import {
  changedFields,
  type NewSubscription,
  STANDARD_SIGNATURES,
  type Store,
  type SubscriptionRef,
} from '@callboard/core/store'
import { reachedAt } from '../lanes/backfilling.ts'
import { enable } from '../lanes/lanes.ts'
import {
  type AccountState,
  findAnySubscription,
  findSubscription,
  homesOf,
  keyOfBytes,
  type MemoryState,
  present,
  presentSubscriptions,
  type SubscriptionState,
} from '../memory-state.ts'
import { add, newState } from '../mode-subscriptions.ts'
import { recordEntry } from './audit-store.ts'
import { carryOut } from './carry-out.ts'
import { importInto } from './import-into.ts'
import { confirm, lastSuccessor } from './key-store.ts'

const MINUTE_MS = 60_000

export function createSubscriptionStore(state: MemoryState): Store<unknown>['subscriptions'] {
  return {
    async createSubscription(subscription, limits, entry) {
      const account = state.accounts.get(subscription.accountId)
      if (account === undefined) throw new CallboardError('ACCOUNT_UNKNOWN', 'No account has this id. Create it first.')
      const home = account.modes[subscription.mode]
      const identity = subscription.identity && keyOfBytes(subscription.identity)
      const confirmedBy = subscription.confirmedBy && lastSuccessor(account, subscription.confirmedBy)

      const same = identity === undefined ? undefined : home.subscriptionsByIdentity.get(identity)
      if (same !== undefined) {
        const before = same.record
        if (before.confirmedBy !== confirmedBy) confirm(same, confirmedBy)
        if (before.state === 'disabled') enable(state, same, subscription.enablesFrom)
        const changed = before.confirmedBy !== confirmedBy || before.state !== same.record.state
        if (changed) recordEntry(state, { ...entry, action: 'subscription.confirmed', objectId: before.id })
        return { outcome: changed ? 'confirmed' : 'existing', subscription: shown(state, same) }
      }

      if (present(home).length >= limits.total) return { outcome: 'limit_reached' }
      const now = state.now()
      const retryAfterMs = untilRoomForNew(account, limits.newPerMinute, now)
      if (retryAfterMs > 0) return { outcome: 'too_many_new', retryAfterMs }
      if (isTaken(state, subscription.id)) throw new Error(`a subscription has the id ${subscription.id} already`)
      const record = recordOf({ ...subscription, confirmedBy }, new Date(now))
      add(home, { ...newState(state, record), identity })
      recordEntry(state, entry)
      return { outcome: 'created', subscription: record }
    },

    importSubscriptions: async (subscriptions, limits) => importInto(state, subscriptions, limits),

    async changeSubscription(ref, act, entry) {
      const account = state.accounts.get(ref.accountId)
      const subscription = findAnySubscription(state, ref)
      if (account === undefined || subscription === undefined) return { outcome: 'unknown' }
      const { record, removed } = subscription
      if ('sources' in act && !act.sources.includes(record.source)) return { outcome: 'unknown' }
      if (removed && act.act !== 'remove') return { outcome: 'unknown' }
      const result = removed ? undefined : carryOut(state, account, subscription, act)
      if (typeof result === 'object') return result
      const fields = changedFields(record, subscription.record)
      const outcome = result === 'changed' || fields.length > 0 ? 'changed' : 'unchanged'
      const details = act.act === 'revise' ? { ...entry.details, fields } : entry.details
      if (outcome === 'changed') recordEntry(state, { ...entry, details })
      return { outcome, subscription: shown(state, subscription) }
    },

    async find(ref) {
      const subscription = findSubscription(state, ref)
      return subscription && shown(state, subscription)
    },

    async findBackfill(ref) {
      const subscription = findSubscription(state, ref)
      const backfill = subscription?.lane.backfill
      if (subscription === undefined || backfill === undefined) return undefined
      const { since, startedAt } = backfill
      return {
        state: backfill.state,
        since: new Date(since),
        startedAt: new Date(startedAt),
        reachedAt: reachedAt(state, subscription),
      }
    },

    async typesInUse() {
      return [...new Set(presentSubscriptions(state).flatMap(({ record }) => record.eventTypes))]
    },

    async list(accountId, mode) {
      const home = state.accounts.get(accountId)?.modes[mode]
      return home === undefined
        ? []
        : present(home)
            .sort(
              (a, b) => b.record.createdAt.getTime() - a.record.createdAt.getTime() || (a.laneId < b.laneId ? 1 : -1),
            )
            .map((subscription) => shown(state, subscription))
    },

    async sealedSecrets(after, limit) {
      const all = presentSubscriptions(state).map((subscription) => shown(state, subscription))
      const rest = after === undefined ? all : all.filter((record) => compareRefs(record, after) > 0)
      return rest
        .sort(compareRefs)
        .slice(0, limit)
        .map(({ accountId, mode, id, secrets }) => ({
          ref: { accountId, mode, id },
          sealed: secrets.map(({ sealed }) => sealed),
        }))
    },

    async replaceSealed(ref, from, to) {
      const subscription = findSubscription(state, ref)
      if (!subscription?.record.secrets.some(({ sealed }) => sealed === from)) return { outcome: 'unchanged' }
      const secrets = subscription.record.secrets.map((secret) =>
        secret.sealed === from ? { ...secret, sealed: to } : secret,
      )
      subscription.record = { ...subscription.record, secrets }
      return { outcome: 'changed' }
    },
  }
}

function compareRefs(a: SubscriptionRef, b: SubscriptionRef): number {
  for (const part of ['accountId', 'mode', 'id'] as const) if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1
  return 0
}

/** A copy of the record with only the secrets that still sign. */
export function shown({ now }: MemoryState, { record }: SubscriptionState): SubscriptionRecord {
  const secrets = record.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt.getTime() > now())
  return { ...record, secrets }
}

/** Whether a subscription of any account, removed or not, has this id. */
function isTaken(state: MemoryState, id: string): boolean {
  return homesOf(state).some(({ subscriptions }) => subscriptions.has(id))
}

/**
 * Milliseconds until the account may create another subscription. It may do so while it has created fewer than `limit`
 * within the last minute.
 */
function untilRoomForNew({ modes }: AccountState, limit: number, now: number): number {
  const created = [modes.live, modes.test]
    .flatMap(({ subscriptions }) => [...subscriptions.values()])
    .filter(({ digest }) => digest === undefined)
    .map(({ record }) => record.createdAt.getTime())
    .sort((a, b) => b - a)
  const decisive = created[limit - 1]
  return decisive === undefined ? 0 : Math.max(0, decisive + MINUTE_MS - now)
}

function recordOf(
  { sealedSecret, identity, enablesFrom, ...subscription }: NewSubscription,
  createdAt: Date,
): SubscriptionRecord {
  return {
    ...subscription,
    description: subscription.description,
    secrets: [{ sealed: sealedSecret, expiresAt: undefined }],
    signatures: subscription.signatures ?? STANDARD_SIGNATURES,
    state: 'active',
    disabledReason: undefined,
    ordering: 'none',
    createdAt,
  }
}
