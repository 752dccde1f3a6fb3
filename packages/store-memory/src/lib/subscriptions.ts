import { CallboardError, type SubscriptionRecord } from '@callboard/core'
import {
  changeShare,
  type NewSubscription,
  newLane,
  reordered,
  retargeted,
  retyped,
  type SubscriptionRef,
  type SubscriptionStore,
  shareOf,
} from '@callboard/core/store'
import { confirm, lastSuccessor } from './keys.ts'
import { apply, disable, enable, putLane, skip } from './lanes.ts'
import {
  type AccountState,
  createHistory,
  findAnySubscription,
  findSubscription,
  keyOfBytes,
  type MemoryState,
  type ModeState,
  type SubscriptionState,
} from './memory-state.ts'

const MINUTE_MS = 60_000

export function createSubscriptionStore(state: MemoryState): SubscriptionStore {
  return {
    async create(subscription, limits) {
      const account = state.accounts.get(subscription.accountId)
      if (account === undefined) throw new CallboardError('ACCOUNT_UNKNOWN', 'No account has this id.')
      const home = account.modes[subscription.mode]
      const identity = subscription.identity && keyOfBytes(subscription.identity)
      const confirmedBy = subscription.confirmedBy && lastSuccessor(account, subscription.confirmedBy)

      const same = identity === undefined ? undefined : home.subscriptionsByIdentity.get(identity)
      if (same !== undefined) {
        const before = same.record
        if (before.confirmedBy !== confirmedBy) confirm(same, confirmedBy)
        if (before.state === 'disabled') enable(state, same, subscription.enablesFrom)
        const changed = before.confirmedBy !== confirmedBy || before.state !== same.record.state
        return { outcome: changed ? 'confirmed' : 'existing', subscription: shown(state, same) }
      }

      if (present(home).length >= limits.total) return { outcome: 'limit_reached' }
      const now = state.now()
      const retryAfterMs = untilRoomForNew(account, limits.newPerMinute, now)
      if (retryAfterMs > 0) return { outcome: 'too_many_new', retryAfterMs }
      if (isTaken(state, subscription.id)) throw new Error(`a subscription has the id ${subscription.id} already`)
      const record = recordOf({ ...subscription, confirmedBy }, new Date(now))
      add(home, {
        record,
        share: shareOf(record.eventTypes),
        identity,
        removed: false,
        removedAt: undefined,
        disabledAt: undefined,
        expired: [],
        lane: newLane(state.position),
        retries: new Map(),
        history: createHistory(state.arrivals),
        since: state.arrivals,
        leaseCall: undefined,
        leasedThrough: 0,
      })
      return { outcome: 'created', subscription: record }
    },

    async find(ref) {
      const subscription = findSubscription(state, ref)
      return subscription && shown(state, subscription)
    },

    async typesInUse() {
      const modes = [...state.accounts.values()].flatMap(({ modes: { live, test } }) => [live, test])
      return [...new Set(modes.flatMap(present).flatMap(({ record }) => record.eventTypes))]
    },

    async list(accountId, mode) {
      const home = state.accounts.get(accountId)?.modes[mode]
      return home === undefined
        ? []
        : present(home)
            .map((subscription) => shown(state, subscription))
            .reverse()
    },

    async remove(ref, sources) {
      const subscription = findAnySubscription(state, ref)
      const home = state.accounts.get(ref.accountId)?.modes[ref.mode]
      if (subscription === undefined || home === undefined) return 'unknown'
      if (!sources.includes(subscription.record.source)) return 'unknown'
      if (subscription.removed) return 'already'
      subscription.removed = true
      subscription.removedAt = state.now()
      putLane(state, subscription, { ...subscription.lane, wakeAt: undefined })
      subscription.retries.clear()
      if (subscription.identity !== undefined) home.subscriptionsByIdentity.delete(subscription.identity)
      unmatch(home, subscription)
      return 'removed'
    },

    async change(ref, { targetUrl, eventTypes, personalData, description, apiVersion }) {
      const subscription = findSubscription(state, ref)
      const home = state.accounts.get(ref.accountId)?.modes[ref.mode]
      if (subscription === undefined || home === undefined) return undefined
      const { record } = subscription
      const isElsewhere = targetUrl !== undefined && targetUrl !== record.targetUrl
      if (eventTypes !== undefined) changeTypes(state, subscription, eventTypes)
      unmatch(home, subscription)
      subscription.record = {
        ...record,
        targetUrl: targetUrl ?? record.targetUrl,
        eventTypes: eventTypes ?? record.eventTypes,
        personalData: personalData ?? record.personalData,
        apiVersion: apiVersion ?? record.apiVersion,
        description: description === undefined ? record.description : (description ?? undefined),
      }
      match(home, subscription)
      if (isElsewhere) apply(state, subscription, retargeted(subscription.lane, subscription.retries, state.now()))
      return shown(state, subscription)
    },

    async sealedSample(limit) {
      const homes = [...state.accounts.values()].flatMap(({ modes }) => [modes.live, modes.test])
      const secrets = homes.flatMap(present).flatMap(({ record }) => {
        return record.secrets.slice(0, 1).map(({ sealed }) => ({ id: record.id, sealed }))
      })
      return secrets.slice(0, limit)
    },

    async disable(ref, reason, replaces) {
      const subscription = findSubscription(state, ref)
      if (subscription === undefined) return false
      disable(state, subscription, reason, replaces)
      return true
    },

    async enable(ref, from, confirmedBy) {
      const subscription = findSubscription(state, ref)
      const account = state.accounts.get(ref.accountId)
      if (subscription === undefined || account === undefined) return 'unknown'
      if (!enable(state, subscription, from)) return 'refused'
      if (confirmedBy !== undefined) confirm(subscription, lastSuccessor(account, confirmedBy))
      return 'enabled'
    },

    async skipToNow(ref) {
      const subscription = findSubscription(state, ref)
      if (subscription === undefined) return 'unknown'
      if (subscription.record.state === 'disabled') return 'disabled'
      skip(state, subscription, 'skipped')
      return 'skipped'
    },

    async setOrdering(ref, ordering) {
      const subscription = findSubscription(state, ref)
      if (subscription === undefined) return false
      subscription.record = { ...subscription.record, ordering }
      apply(state, subscription, reordered(subscription.lane, subscription.retries, ordering, state.now()))
      return true
    },

    async setApiVersion(ref, { apiVersion, sources, confirmedBy }) {
      const subscription = findSubscription(state, ref)
      const account = state.accounts.get(ref.accountId)
      if (subscription === undefined || account === undefined) return undefined
      if (!sources.includes(subscription.record.source)) return undefined
      if (subscription.record.apiVersion === apiVersion) return shown(state, subscription)
      subscription.record = { ...subscription.record, apiVersion }
      if (confirmedBy !== undefined) confirm(subscription, lastSuccessor(account, confirmedBy))
      return shown(state, subscription)
    },

    async rotateSecret(ref, sealedSecret, overlapMs, from) {
      const subscription = findSubscription(state, ref)
      if (subscription === undefined) return false
      if (from !== undefined && subscription.record.secrets[0]?.sealed !== from) return false
      const expiresAt = new Date(state.now() + overlapMs)
      const former = subscription.record.secrets.slice(0, 1).map(({ sealed }) => ({ sealed, expiresAt }))
      subscription.record = {
        ...subscription.record,
        secrets: [{ sealed: sealedSecret, expiresAt: undefined }, ...former],
      }
      return true
    },

    async sealedSecrets(after, limit) {
      const homes = [...state.accounts.values()].flatMap(({ modes }) => [modes.live, modes.test])
      const all = homes.flatMap(present).map((subscription) => shown(state, subscription))
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
      if (!subscription?.record.secrets.some(({ sealed }) => sealed === from)) return false
      const secrets = subscription.record.secrets.map((secret) =>
        secret.sealed === from ? { ...secret, sealed: to } : secret,
      )
      subscription.record = { ...subscription.record, secrets }
      return true
    },
  }
}

function compareRefs(a: SubscriptionRef, b: SubscriptionRef): number {
  for (const part of ['accountId', 'mode', 'id'] as const) if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1
  return 0
}

function add(home: ModeState, subscription: SubscriptionState): void {
  home.subscriptions.set(subscription.record.id, subscription)
  if (subscription.identity !== undefined) home.subscriptionsByIdentity.set(subscription.identity, subscription)
  match(home, subscription)
}

function match(home: ModeState, subscription: SubscriptionState): void {
  for (const type of subscription.record.eventTypes) {
    const matching = home.subscriptionsByType.get(type) ?? new Set()
    home.subscriptionsByType.set(type, matching.add(subscription))
  }
}

function unmatch(home: ModeState, subscription: SubscriptionState): void {
  for (const type of subscription.record.eventTypes) home.subscriptionsByType.get(type)?.delete(subscription)
}

function changeTypes(state: MemoryState, subscription: SubscriptionState, types: readonly string[]): void {
  if (subscription.record.state === 'disabled') skip(state, subscription, 'disabled')
  const { share, lane } = subscription
  subscription.share = changeShare(share, { types, position: state.position, cursor: lane.cursor })
  putLane(state, subscription, retyped(lane, state.position))
}

/** A copy of the record with only the secrets that still sign. */
export function shown({ now }: MemoryState, { record }: SubscriptionState): SubscriptionRecord {
  const secrets = record.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt.getTime() > now())
  return { ...record, secrets }
}

/** Whether a subscription of any account, removed or not, has this id. */
function isTaken({ accounts }: MemoryState, id: string): boolean {
  return [...accounts.values()].some(
    ({ modes: { live, test } }) => live.subscriptions.has(id) || test.subscriptions.has(id),
  )
}

/** The subscriptions that are not removed, oldest first. */
function present({ subscriptions }: ModeState): SubscriptionState[] {
  return [...subscriptions.values()].filter(({ removed }) => !removed)
}

/**
 * Milliseconds until the account may create another subscription. It may do so while it has created fewer than `limit`
 * within the last minute.
 */
function untilRoomForNew({ modes }: AccountState, limit: number, now: number): number {
  const created = [modes.live, modes.test]
    .flatMap(({ subscriptions }) => [...subscriptions.values()])
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
    state: 'active',
    disabledReason: undefined,
    ordering: 'none',
    createdAt,
  }
}
