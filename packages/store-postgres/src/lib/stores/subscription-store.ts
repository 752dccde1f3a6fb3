import { CallboardError } from '@callboard/core'
import {
  idFromUuid,
  isId,
  type NewSubscription,
  type Store,
  type SubscriptionAct,
  type SubscriptionRef,
  targetHost,
  uuidFromId,
} from '@callboard/core/store'
import { entryJson } from '../audit/record-entry.ts'
import type { Database } from '../database/database.ts'
import { dateOf } from '../sql/row-values.ts'
import type { SubscriptionKey } from '../sql/statement.ts'
import { changeSubscription } from '../subscriptions/change-subscription.ts'
import { type CreateParameters, createSubscription } from '../subscriptions/create-subscription.ts'
import { findBackfill, findSubscription, listSubscriptions, typesInUse } from '../subscriptions/find-subscriptions.ts'
import { replaceSealed, sealedSecrets } from '../subscriptions/sealed-secrets.ts'
import { toSubscription } from '../subscriptions/subscription-row.ts'

/** Sorts before every subscription. */
const FIRST: SubscriptionKey = { accountId: '', mode: '', id: '00000000-0000-0000-0000-000000000000' }

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
          throw new CallboardError('ACCOUNT_UNKNOWN', 'No account has this id.')
        case 'limit_reached':
          return { outcome: row.outcome }
        case 'too_many_new':
          return { outcome: row.outcome, retryAfterMs: row.wait_ms }
        default:
          return { outcome: row.outcome, subscription: toSubscription(row) }
      }
    },
    async changeSubscription(ref, act, entry) {
      if (!isId('sub', ref.id)) return { outcome: 'unknown' }
      const parameters = { ...keyOf(ref), act: actJson(act), entry: entryJson(entry), channel }
      const [row] = await database.run(changeSubscription, parameters)
      if (row === undefined) return { outcome: 'unknown' }
      switch (row.outcome) {
        case 'changed':
        case 'unchanged':
          return { outcome: row.outcome, subscription: toSubscription(row) }
        case 'exists':
          return { outcome: row.outcome, subscriptionId: idFromUuid('sub', row.id) }
        default:
          return { outcome: row.outcome }
      }
    },
    async find(ref) {
      const [row] = isId('sub', ref.id) ? await database.run(findSubscription, keyOf(ref)) : []
      return row === undefined || row.state === 'removed' ? undefined : toSubscription(row)
    },
    async findBackfill(ref) {
      const [row] = isId('sub', ref.id) ? await database.run(findBackfill, keyOf(ref)) : []
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

/** The act as JSON. The id of a key is a UUID, an identity is in hexadecimal digits, and a new target has its host. */
function actJson(act: SubscriptionAct): string {
  const confirmedBy = 'confirmedBy' in act ? (keyUuid(act.confirmedBy) ?? undefined) : undefined
  if (act.act !== 'revise') return JSON.stringify({ ...act, confirmedBy })
  const { identity, changes } = act
  return JSON.stringify({
    ...act,
    confirmedBy,
    identity: identity && Buffer.from(identity).toString('hex'),
    host: changes.targetUrl === undefined ? undefined : targetHost(changes.targetUrl),
  })
}

function keyUuid(keyId: string | undefined): string | null {
  return keyId === undefined ? null : uuidFromId('key', keyId)
}

function keyOf({ accountId, mode, id }: SubscriptionRef): SubscriptionKey {
  return { accountId, mode, id: uuidFromId('sub', id) }
}

function toNewRow(subscription: NewSubscription): Omit<CreateParameters, 'total' | 'newPerMinute' | 'entry'> {
  return {
    ...keyOf(subscription),
    source: subscription.source,
    identity: subscription.identity ?? null,
    enablesFrom: subscription.enablesFrom,
    targetUrl: subscription.targetUrl,
    host: targetHost(subscription.targetUrl),
    eventTypes: subscription.eventTypes,
    integration: subscription.integration,
    externalRef: subscription.externalRef ?? null,
    description: subscription.description ?? null,
    apiVersion: subscription.apiVersion,
    secret: subscription.sealedSecret,
    confirmedBy: keyUuid(subscription.confirmedBy),
    personalData: subscription.personalData ?? null,
  }
}
