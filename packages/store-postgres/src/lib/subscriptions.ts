import { CallboardError, type DisabledReason } from '@callboard/core'
import {
  type CreateOutcome,
  changePending,
  idFromUuid,
  isId,
  type NewSubscription,
  type SubscriptionRef,
  type SubscriptionStore,
  targetHost,
  uuidFromId,
} from '@callboard/core/store'
import type { Database, Runner } from './database.ts'
import { serialisationFailure } from './failures.ts'
import { lastSuccessor } from './statements/keys.ts'
import { replaceSealed, sealedSecrets } from './statements/sealed-secrets.ts'
import type { SubscriptionKey } from './statements/statement.ts'
import {
  changeEventTypes,
  changeSubscription,
  confirmSubscription,
  rotateSecret,
  setApiVersion,
  setOrdering,
  startAfresh,
} from './statements/subscriptions/change-subscription.ts'
import { disableSubscription, enableSubscription, resumeLane } from './statements/subscriptions/enable-and-disable.ts'
import { endPending } from './statements/subscriptions/end-pending.ts'
import {
  countSubscriptions,
  findByIdentity,
  findSubscription,
  listSubscriptions,
  sealedSample,
  typesInUse,
  untilRoomForNew,
} from './statements/subscriptions/find-subscriptions.ts'
import {
  type InsertSubscriptionParameters,
  insertSubscription,
} from './statements/subscriptions/insert-subscription.ts'
import { lockCreates, lockKey, lockLane, lockSequencer } from './statements/subscriptions/locks.ts'
import { removeSubscription } from './statements/subscriptions/remove-subscription.ts'
import type { SubscriptionRow } from './statements/subscriptions/subscription-row.ts'
import { toSubscription } from './subscription-record.ts'

/** Sorts before every subscription. */
const FIRST: SubscriptionKey = { accountId: '', mode: '', id: '00000000-0000-0000-0000-000000000000' }

export function createSubscriptionStore(database: Database): SubscriptionStore {
  return {
    create: (subscription, limits) =>
      database.transaction(async (tx) => {
        const { accountId, mode, identity, confirmedBy } = subscription
        await tx.run(lockCreates, { accountId })
        const confirmingKey = confirmedBy === undefined ? null : await currentKey(tx, accountId, confirmedBy)
        const [same] = identity === undefined ? [] : await tx.run(findByIdentity, { accountId, mode, identity })
        if (same !== undefined) return confirm(tx, same, confirmingKey, subscription.enablesFrom)
        const [count] = await tx.run(countSubscriptions, { accountId, mode })
        if ((count?.n ?? 0) >= limits.total) return { outcome: 'limit_reached' }
        const [wait] = await tx.run(untilRoomForNew, { accountId, limit: limits.newPerMinute })
        if (wait !== undefined) return { outcome: 'too_many_new', retryAfterMs: wait.ms }
        await tx.run(lockSequencer, {})
        const [row] = await tx.run(insertSubscription, toNewRow(subscription, confirmingKey))
        if (row === undefined) throw new CallboardError('ACCOUNT_UNKNOWN', 'No account has this id.')
        return { outcome: 'created', subscription: toSubscription(row) }
      }),
    async find(ref) {
      const [row] = isId('sub', ref.id) ? await database.run(findSubscription, keyOf(ref)) : []
      return row === undefined || row.state === 'removed' ? undefined : toSubscription(row)
    },
    async typesInUse() {
      return (await database.run(typesInUse, {})).map(({ type }) => type)
    },
    async sealedSample(limit) {
      const rows = await database.run(sealedSample, { limit })
      return rows.map(({ id, sealed }) => ({ id: idFromUuid('sub', id), sealed }))
    },
    async list(accountId, mode) {
      return (await database.run(listSubscriptions, { accountId, mode })).map(toSubscription)
    },
    async remove(ref, sources) {
      if (!isId('sub', ref.id)) return 'unknown'
      return database.transaction(async (tx) => {
        await tx.run(lockLane, keyOf(ref))
        const [row] = await tx.run(removeSubscription, { ...keyOf(ref), sources })
        return row?.outcome ?? 'unknown'
      })
    },
    async change(ref, { targetUrl, eventTypes, personalData, description, apiVersion }) {
      if (!isId('sub', ref.id)) return undefined
      const key = keyOf(ref)
      return database.transaction(async (tx) => {
        if (eventTypes !== undefined) await tx.run(lockSequencer, {})
        await tx.run(lockLane, key)
        if (targetUrl !== undefined) await tx.run(startAfresh, { ...key, targetUrl, host: targetHost(targetUrl) })
        const [row] = await tx.run(changeSubscription, {
          ...key,
          targetUrl: targetUrl ?? null,
          personalData: personalData ?? null,
          apiVersion: apiVersion ?? null,
          changesDescription: description !== undefined,
          description: description ?? null,
        })
        if (row === undefined) return undefined
        if (eventTypes === undefined) return toSubscription(row)
        if (row.state === 'disabled') await tx.run(endPending, { ...key, as: 'disabled' })
        if ((await tx.run(changeEventTypes, { ...key, eventTypes })).length === 0) throw changePending()
        return { ...toSubscription(row), eventTypes }
      })
    },
    async disable(ref, reason, replaces) {
      if (!isId('sub', ref.id)) return false
      const [row] = await database.run(disableSubscription, { ...keyOf(ref), reason, replaces })
      return row?.found ?? false
    },
    async enable(ref, from, confirmedBy) {
      if (!isId('sub', ref.id)) return 'unknown'
      return database.transaction(async (tx) => {
        const confirmingKey = confirmedBy === undefined ? undefined : await currentKey(tx, ref.accountId, confirmedBy)
        await tx.run(lockSequencer, {})
        await tx.run(lockLane, keyOf(ref))
        const [row] = await tx.run(findSubscription, keyOf(ref))
        if (row === undefined || row.state === 'removed') return 'unknown'
        const { state } = await enable(tx, row, from)
        if (state !== 'active') return 'refused'
        if (confirmingKey !== undefined) await tx.run(confirmSubscription, { ...keyOf(ref), confirmingKey })
        return 'enabled'
      })
    },
    async skipToNow(ref) {
      if (!isId('sub', ref.id)) return 'unknown'
      return database.transaction(async (tx) => {
        await tx.run(lockSequencer, {})
        const [lane] = await tx.run(lockLane, keyOf(ref))
        if (lane === undefined) return 'unknown'
        if (lane.state === 'disabled') return 'disabled'
        await tx.run(endPending, { ...keyOf(ref), as: 'skipped' })
        return 'skipped'
      })
    },
    async setOrdering(ref, ordering) {
      if (!isId('sub', ref.id)) return false
      return database.transaction(async (tx) => {
        await tx.run(lockLane, keyOf(ref))
        return (await tx.run(setOrdering, { ...keyOf(ref), ordering })).length > 0
      })
    },
    async setApiVersion(ref, { apiVersion, sources, confirmedBy }) {
      if (!isId('sub', ref.id)) return undefined
      return database.transaction(async (tx) => {
        const confirmingKey = confirmedBy === undefined ? null : await currentKey(tx, ref.accountId, confirmedBy)
        const [changed] = await tx.run(setApiVersion, { ...keyOf(ref), apiVersion, sources, confirmingKey })
        const [row] = changed === undefined ? await tx.run(findSubscription, keyOf(ref)) : [changed]
        if (row === undefined || row.state === 'removed' || !sources.includes(row.source)) return undefined
        return toSubscription(row)
      })
    },
    async rotateSecret(ref, sealedSecret, overlapMs, from) {
      if (!isId('sub', ref.id)) return false
      const rotation = { ...keyOf(ref), secret: sealedSecret, overlapMs, from: from ?? null }
      return (await database.run(rotateSecret, rotation)).length > 0
    },
    async sealedSecrets(after, limit) {
      if (after !== undefined && !isId('sub', after.id)) return []
      const rows = await database.run(sealedSecrets, { after: after === undefined ? FIRST : keyOf(after), limit })
      return rows.map(({ account_id, mode, id, secret, former_secret }) => ({
        ref: { accountId: account_id, mode, id: idFromUuid('sub', id) },
        sealed: former_secret === null ? [secret] : [secret, former_secret],
      }))
    },
    async replaceSealed(ref, from, to) {
      if (!isId('sub', ref.id)) return false
      return (await database.run(replaceSealed, { ...keyOf(ref), from, to })).length > 0
    },
  }
}

/**
 * Returns the key itself, or its latest successor if it was rotated. Locks the key, so that no rotation starts
 * meanwhile.
 */
async function currentKey(tx: Runner, accountId: string, keyId: string): Promise<string> {
  const uuid = uuidFromId('key', keyId)
  await tx.run(lockKey, { accountId, keyId: uuid })
  const [last] = await tx.run(lastSuccessor, { accountId, keyId: uuid })
  return last?.id ?? uuid
}

async function confirm(
  tx: Runner,
  row: SubscriptionRow,
  confirmingKey: string | null,
  enablesFrom: readonly DisabledReason[],
): Promise<CreateOutcome> {
  const key = keyOfRow(row)
  // The lock order is the same everywhere: sequencer (only if needed), lane, subscription.
  if (row.state === 'disabled') await tx.run(lockSequencer, {})
  await tx.run(lockLane, key)
  const [found] = await tx.run(findSubscription, key)
  // The subscription was removed or disabled after `row` was read, so the transaction must start again.
  if (found === undefined || (row.state === 'active' && found.state !== 'active')) throw serialisationFailure()
  const [confirmed] =
    found.confirmed_by === confirmingKey ? [] : await tx.run(confirmSubscription, { ...key, confirmingKey })
  const subscription = await enable(tx, confirmed ?? found, enablesFrom)
  const outcome = subscription === found ? 'existing' : 'confirmed'
  return { outcome, subscription: toSubscription(subscription) }
}

/**
 * Enables a subscription if it is disabled for one of the reasons `from`. The sequencer's row and the lane must be locked.
 */
async function enable(tx: Runner, row: SubscriptionRow, from: readonly DisabledReason[]): Promise<SubscriptionRow> {
  if (row.disabled_reason === null || !from.includes(row.disabled_reason)) return row
  const key = keyOfRow(row)
  await tx.run(endPending, { ...key, as: 'disabled' })
  const [enabled] = await tx.run(enableSubscription, key)
  await tx.run(resumeLane, key)
  return enabled ?? row
}

function keyOf({ accountId, mode, id }: SubscriptionRef): SubscriptionKey {
  return { accountId, mode, id: uuidFromId('sub', id) }
}

function keyOfRow({ account_id, mode, id }: SubscriptionRow): SubscriptionKey {
  return { accountId: account_id, mode, id }
}

function toNewRow(subscription: NewSubscription, confirmedBy: string | null): InsertSubscriptionParameters {
  return {
    ...keyOf(subscription),
    source: subscription.source,
    identity: subscription.identity ?? null,
    targetUrl: subscription.targetUrl,
    host: targetHost(subscription.targetUrl),
    eventTypes: subscription.eventTypes,
    integration: subscription.integration,
    externalRef: subscription.externalRef ?? null,
    description: subscription.description ?? null,
    apiVersion: subscription.apiVersion,
    secret: subscription.sealedSecret,
    confirmedBy,
    personalData: subscription.personalData ?? null,
  }
}
