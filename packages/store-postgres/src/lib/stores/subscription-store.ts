import { CallboardError } from '@callboard/core'
import {
  type NewSubscription,
  type Store,
  type SubscriptionAct,
  targetHost,
  unlessStandard,
  uuidFromId,
} from '@callboard/core/store'
import { entryJson } from '../audit/record-entry.ts'
import type { Database } from '../database/database.ts'
import { dateOf } from '../sql/row-values.ts'
import { changeSubscription } from '../subscriptions/change-subscription.ts'
import { type CreateParameters, createSubscription } from '../subscriptions/create-subscription.ts'
import { findBackfill, findSubscription, listSubscriptions, typesInUse } from '../subscriptions/find-subscriptions.ts'
import { importAll } from '../subscriptions/import-all.ts'
import { replaceSealed, sealedSecrets } from '../subscriptions/sealed-secrets.ts'
import { keyAfter, subscriptionKey } from '../subscriptions/subscription-key.ts'
import { publicId, toSubscription } from '../subscriptions/subscription-row.ts'

/** @param channel where to notify workers of lanes that a change made due; null: notify nobody. */
export function createSubscriptionStore(database: Database, channel: string | null): Store<unknown>['subscriptions'] {
  return {
    async createSubscription(subscription, limits, entry) {
      const [row] = await database.run(createSubscription, {
        ...toNewRow(subscription),
        total: limits.total,
        newPerMinute: limits.newPerMinute,
        entry: entryJson(entry),
      })
      if (row === undefined) throw new Error('create_subscription returned no row')
      switch (row.outcome) {
        case 'account_unknown':
          throw new CallboardError('ACCOUNT_UNKNOWN', 'No account has this id. Create it first.')
        case 'limit_reached':
          return { outcome: row.outcome }
        case 'too_many_new':
          return { outcome: row.outcome, retryAfterMs: row.wait_ms }
        default:
          return { outcome: row.outcome, subscription: toSubscription(row) }
      }
    },
    importSubscriptions: (subscriptions, limits) => importAll(database, subscriptions, limits),
    async changeSubscription(ref, act, entry) {
      const key = await subscriptionKey(database, ref)
      if (key === undefined) return { outcome: 'unknown' }
      const parameters = { ...key, act: actJson(act), entry: entryJson(entry, key.id), channel }
      const [row] = await database.run(changeSubscription, parameters)
      if (row === undefined) return { outcome: 'unknown' }
      switch (row.outcome) {
        case 'changed':
        case 'unchanged':
          return { outcome: row.outcome, subscription: toSubscription(row) }
        case 'exists':
          return { outcome: row.outcome, subscriptionId: publicId(row) }
        default:
          return { outcome: row.outcome }
      }
    },
    async find(ref) {
      const key = await subscriptionKey(database, ref)
      const [row] = key === undefined ? [] : await database.run(findSubscription, key)
      return row === undefined || row.state === 'removed' ? undefined : toSubscription(row)
    },
    async findBackfill(ref) {
      const key = await subscriptionKey(database, ref)
      const [row] = key === undefined ? [] : await database.run(findBackfill, key)
      if (row === undefined) return undefined
      const { state, since, started_at, reached_at } = row
      const reachedAt = reached_at === null ? undefined : dateOf(reached_at)
      return { state, since: dateOf(since), startedAt: dateOf(started_at), reachedAt }
    },
    async typesInUse() {
      return (await database.run(typesInUse, {})).map(({ type }) => type)
    },
    async list(accountId, mode) {
      return (await database.run(listSubscriptions, { accountId, mode })).map(toSubscription)
    },
    async sealedSecrets(after, limit) {
      const rows = await database.run(sealedSecrets, { after: await keyAfter(database, after), limit })
      return rows.map(({ account_id, mode, secret, former_secret, ...row }) => ({
        ref: { accountId: account_id, mode, id: publicId(row) },
        sealed: former_secret === null ? [secret] : [secret, former_secret],
      }))
    },
    async replaceSealed(ref, from, to) {
      const key = await subscriptionKey(database, ref)
      const replaced = key === undefined ? [] : await database.run(replaceSealed, { ...key, from, to })
      return { outcome: replaced.length > 0 ? 'changed' : 'unchanged' }
    },
  }
}

/** The act as JSON. The id of a key is a UUID, an identity is in hexadecimal digits, and a new target has its host. */
function actJson(act: SubscriptionAct): string {
  const confirmedBy = 'confirmedBy' in act ? (keyUuid(act.confirmedBy) ?? undefined) : undefined
  if (act.act !== 'revise') return JSON.stringify({ ...act, confirmedBy })
  const { identity, changes } = act
  return JSON.stringify({
    ...act,
    changes: changes.signatures ? { ...changes, signatures: unlessStandard(changes.signatures) ?? null } : changes,
    confirmedBy,
    identity: identity && Buffer.from(identity).toString('hex'),
    host: changes.targetUrl === undefined ? undefined : targetHost(changes.targetUrl),
  })
}

function keyUuid(keyId: string | undefined): string | null {
  return keyId === undefined ? null : uuidFromId('key', keyId)
}

function toNewRow(subscription: NewSubscription): Omit<CreateParameters, 'total' | 'newPerMinute' | 'entry'> {
  const { identity = null, externalRef = null, description = null, personalData = null } = subscription
  const signatures = unlessStandard(subscription.signatures)
  return {
    ...{ ...subscription, identity, externalRef, description, personalData },
    id: uuidFromId('sub', subscription.id),
    host: targetHost(subscription.targetUrl),
    secret: subscription.sealedSecret,
    signatures: signatures === undefined ? null : JSON.stringify(signatures),
    confirmedBy: keyUuid(subscription.confirmedBy),
  }
}
