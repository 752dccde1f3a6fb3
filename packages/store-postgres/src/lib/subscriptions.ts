import { CallboardError, type DisabledReason } from '@callboard/core'
import {
  type CreateOutcome,
  changedFields,
  idFromUuid,
  isId,
  type NewSubscription,
  type SubscriptionAct,
  type SubscriptionRef,
  type SubscriptionStore,
  targetHost,
  uuidFromId,
} from '@callboard/core/store'
import { record } from './audit.ts'
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
    create: (subscription, limits, entry) =>
      database.transaction(async (tx) => {
        const { accountId, mode, identity, confirmedBy } = subscription
        await tx.run(lockCreates, { accountId })
        const confirmingKey = confirmedBy === undefined ? null : await currentKey(tx, accountId, confirmedBy)
        const [same] = identity === undefined ? [] : await tx.run(findByIdentity, { accountId, mode, identity })
        if (same !== undefined) {
          const result = await confirm(tx, same, confirmingKey, subscription.enablesFrom)
          const objectId = idFromUuid('sub', same.id)
          if (result.outcome === 'confirmed') await record(tx, { ...entry, action: 'subscription.confirmed', objectId })
          return result
        }
        const [count] = await tx.run(countSubscriptions, { accountId, mode })
        if ((count?.n ?? 0) >= limits.total) return { outcome: 'limit_reached' }
        const [wait] = await tx.run(untilRoomForNew, { accountId, limit: limits.newPerMinute })
        if (wait !== undefined) return { outcome: 'too_many_new', retryAfterMs: wait.ms }
        await tx.run(lockSequencer, {})
        const [row] = await tx.run(insertSubscription, toNewRow(subscription, confirmingKey))
        if (row === undefined) throw new CallboardError('ACCOUNT_UNKNOWN', 'No account has this id.')
        await record(tx, entry)
        return { outcome: 'created', subscription: toSubscription(row) }
      }),
    async change(ref, act, entry) {
      if (!isId('sub', ref.id)) return { outcome: 'unknown' }
      const key = keyOf(ref)
      return database.transaction(async (tx) => {
        const confirmedBy = 'confirmedBy' in act ? act.confirmedBy : undefined
        const confirmingKey = confirmedBy === undefined ? null : await currentKey(tx, ref.accountId, confirmedBy)
        const sequences = act.act === 'enable' || act.act === 'skip_to_now'
        if (sequences || (act.act === 'revise' && act.changes.eventTypes !== undefined)) await tx.run(lockSequencer, {})
        await tx.run(lockLane, key)
        const [before] = await tx.run(findSubscription, key)
        if (before === undefined || ('sources' in act && !act.sources.includes(before.source)))
          return { outcome: 'unknown' }
        if (before.state === 'removed')
          return act.act === 'remove'
            ? { outcome: 'unchanged', subscription: toSubscription(before) }
            : { outcome: 'unknown' }
        const result = await apply(tx, before, act, confirmingKey)
        if (result === 'refused') return { outcome: 'refused' }
        const [row] = await tx.run(findSubscription, key)
        if (row === undefined) throw serialisationFailure()
        const subscription = toSubscription(row)
        const fields = changedFields(toSubscription(before), subscription)
        if (result !== 'changed' && fields.length === 0) return { outcome: 'unchanged', subscription }
        const details = act.act === 'revise' ? { ...entry.details, fields } : entry.details
        await record(tx, { ...entry, details })
        return { outcome: 'changed', subscription }
      })
    },
    async find(ref) {
      const [row] = isId('sub', ref.id) ? await database.run(findSubscription, keyOf(ref)) : []
      return row === undefined || row.state === 'removed' ? undefined : toSubscription(row)
    },
    async typesInUse() {
      return (await database.run(typesInUse, {})).map(({ type }) => type)
    },
    async list(accountId, mode) {
      return (await database.run(listSubscriptions, { accountId, mode })).map(toSubscription)
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
      if (!isId('sub', ref.id)) return { outcome: 'unchanged' }
      const replaced = await database.run(replaceSealed, { ...keyOf(ref), from, to })
      return { outcome: replaced.length > 0 ? 'changed' : 'unchanged' }
    },
  }
}

/** Returns undefined if only the record says whether something has changed. The lane must be locked. */
async function apply(
  tx: Runner,
  row: SubscriptionRow,
  act: SubscriptionAct,
  confirmingKey: string | null,
): Promise<'changed' | 'refused' | undefined> {
  const key = keyOfRow(row)
  switch (act.act) {
    case 'revise': {
      const { targetUrl, eventTypes, personalData, description, apiVersion } = act.changes
      if (eventTypes !== undefined) {
        if (row.state === 'disabled') await tx.run(endPending, { ...key, as: 'disabled' })
        if ((await tx.run(changeEventTypes, { ...key, eventTypes })).length === 0) return 'refused'
      }
      if (targetUrl !== undefined) await tx.run(startAfresh, { ...key, targetUrl, host: targetHost(targetUrl) })
      await tx.run(changeSubscription, {
        ...key,
        targetUrl: targetUrl ?? null,
        personalData: personalData ?? null,
        apiVersion: apiVersion ?? null,
        changesDescription: description !== undefined,
        description: description ?? null,
      })
      return
    }
    case 'disable':
      await tx.run(disableSubscription, { ...key, reason: act.reason, replaces: act.replaces })
      return
    case 'enable':
      if ((await enable(tx, row, act.from)).state !== 'active') return 'refused'
      if (confirmingKey !== null) await tx.run(confirmSubscription, { ...key, confirmingKey })
      return
    case 'skip_to_now':
      if (row.state === 'disabled') return 'refused'
      await tx.run(endPending, { ...key, as: 'skipped' })
      return 'changed'
    case 'set_ordering':
      await tx.run(setOrdering, { ...key, ordering: act.ordering })
      return
    case 'set_api_version':
      await tx.run(setApiVersion, { ...key, apiVersion: act.apiVersion, sources: act.sources, confirmingKey })
      return
    case 'rotate_secret': {
      const rotation = { ...key, secret: act.sealedSecret, overlapMs: act.overlapMs, from: act.from ?? null }
      return (await tx.run(rotateSecret, rotation)).length > 0 ? 'changed' : 'refused'
    }
    case 'remove':
      await tx.run(removeSubscription, { ...key, sources: act.sources })
      return 'changed'
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
