import { isSameJson } from '../events/is-same-json.ts'
import type { AuditDraft } from '../ports/audit-store.ts'
import type { ChangedStores, Store } from '../ports/store.ts'
import type { SubscriptionRecord, SubscriptionRef, SubscriptionStore } from '../ports/subscription-store.ts'
import type { AuditNote } from './audit-draft.ts'
import type { Recorder } from './recorder.ts'

/**
 * Wraps the stores so that the audit trail records changes to accounts, keys, subscriptions and deliveries. A change and its entry are stored together, or neither is; only the deletion of an account is stored
 * before its entry. A call that is refused, or that changes nothing, leaves no entry.
 */
export function recordedStores<Tx>(
  store: Store<Tx>,
  { entry, record, admit }: Recorder,
): Pick<Store<Tx>, 'accounts' | 'keys' | 'subscriptions' | 'deliveryLog' | 'versions'> {
  const { accounts, keys, subscriptions, deliveryLog, versions } = store

  const change = <Result>(
    work: (stores: ChangedStores) => Promise<Result>,
    noteOf: (result: Result) => AuditNote | undefined,
  ): Promise<Result> =>
    store.recorded(work, (result) => {
      const note = noteOf(result)
      return note && entry(note)
    })

  /** Like `change`, but records nothing if the subscription is the same before and after. */
  const changeOf = <Result>(
    ref: SubscriptionRef,
    work: (subscriptions: SubscriptionStore) => Promise<Result>,
    noteOf: (result: Result, fields: readonly string[]) => AuditNote,
  ): Promise<Result> =>
    change(
      async ({ subscriptions: store }) => {
        const before = await store.find(ref)
        const result = await work(store)
        return { result, fields: changedFields(before, await store.find(ref)) }
      },
      ({ result, fields }) => (fields.length === 0 ? undefined : noteOf(result, fields)),
    ).then(({ result }) => result)

  return {
    accounts: {
      ...accounts,
      create: (account) =>
        change(
          (stores) => stores.accounts.create(account),
          (created) => (created ? { action: 'account.created', accountId: account.id } : undefined),
        ),
      rename: (account) =>
        change(
          async (stores) => ({
            before: await stores.accounts.find(account.id),
            renamed: await stores.accounts.rename(account),
          }),
          ({ before, renamed }) =>
            renamed && before?.name !== account.name ? { action: 'account.renamed', accountId: account.id } : undefined,
        ).then(({ renamed }) => renamed),
      // The deletion of an account takes several transactions, so its entry is recorded afterwards. If the entry cannot
      // be recorded, the caller gets an error and must repeat the call. Only a deletion without an entry gets one.
      async delete(accountId) {
        const known = await accounts.delete(accountId)
        const request = { accountId, mode: undefined, objectId: undefined, before: undefined, limit: 10 }
        const isRecorded = (await store.audit.list(request)).some(({ action }) => action === 'account.deleted')
        if (known && !isRecorded) await record({ action: 'account.deleted', accountId })
        return known
      },
    },
    keys: {
      ...keys,
      issue: async (key, limit) => {
        await admit(key.accountId)
        return change(
          (stores) => stores.keys.issue(key, limit),
          ({ outcome }) =>
            outcome === 'issued' ? { action: 'key.issued', ...ofKey(key), details: { scopes: key.scopes } } : undefined,
        )
      },
      rotate: async (request) => {
        await admit(request.accountId)
        return change(
          (stores) => stores.keys.rotate(request),
          (successor) =>
            successor && {
              action: 'key.rotated',
              ...ofKey({ ...successor, id: request.keyId }),
              details: { successor: successor.id, overlapMs: request.overlapMs },
            },
        )
      },
      revoke: (accountId, keyId) =>
        change(
          async (stores) => ({
            before: await stores.keys.find(accountId, keyId),
            key: await stores.keys.revoke(accountId, keyId),
          }),
          ({ before, key }) =>
            key && (before?.revokedAt === undefined || key.disabledSubscriptions > 0)
              ? {
                  action: 'key.revoked',
                  ...ofKey(key),
                  details: { disabledSubscriptions: key.disabledSubscriptions },
                }
              : undefined,
        ).then(({ key }) => key),
      setApiVersion: async (accountId, keyId, apiVersion) => {
        await admit(accountId)
        return change(
          async (stores) => ({
            before: await stores.keys.find(accountId, keyId),
            key: await stores.keys.setApiVersion(accountId, keyId, apiVersion),
          }),
          ({ before, key }) =>
            key && before?.apiVersion !== apiVersion
              ? { action: 'key.version_set', ...ofKey(key), details: { apiVersion } }
              : undefined,
        ).then(({ key }) => key)
      },
    },
    subscriptions: {
      ...subscriptions,
      create: async (subscription, limits) => {
        await admit(subscription.accountId)
        return change(
          (stores) => stores.subscriptions.create(subscription, limits),
          (result) =>
            result.outcome === 'created' || result.outcome === 'confirmed'
              ? {
                  action: `subscription.${result.outcome}`,
                  ...ofSubscription(result.subscription),
                  details: { integration: result.subscription.integration },
                }
              : undefined,
        )
      },
      remove: (ref, sources) =>
        change(
          (stores) => stores.subscriptions.remove(ref, sources),
          (outcome) => (outcome === 'removed' ? { action: 'subscription.removed', ...ofSubscription(ref) } : undefined),
        ),
      change: async (ref, changes) => {
        await admit(ref.accountId)
        return changeOf(
          ref,
          (store) => store.change(ref, changes),
          (_changed, fields) => ({ action: 'subscription.changed', ...ofSubscription(ref), details: { fields } }),
        )
      },
      disable: (ref, reason, replaces) =>
        changeOf(
          ref,
          (store) => store.disable(ref, reason, replaces),
          () => ({ action: 'subscription.disabled', ...ofSubscription(ref), details: { reason } }),
        ),
      enable: async (ref, from, confirmedBy) => {
        await admit(ref.accountId)
        return changeOf(
          ref,
          (store) => store.enable(ref, from, confirmedBy),
          () => ({
            action: 'subscription.enabled',
            ...ofSubscription(ref),
            ...(confirmedBy !== undefined && { details: { key: confirmedBy } }),
          }),
        )
      },
      skipToNow: async (ref) => {
        await admit(ref.accountId)
        return change(
          (stores) => stores.subscriptions.skipToNow(ref),
          (outcome) =>
            outcome === 'skipped' ? { action: 'subscription.skipped_to_now', ...ofSubscription(ref) } : undefined,
        )
      },
      setOrdering: async (ref, ordering) => {
        await admit(ref.accountId)
        return changeOf(
          ref,
          (store) => store.setOrdering(ref, ordering),
          () => ({ action: 'subscription.ordering_set', ...ofSubscription(ref), details: { ordering } }),
        )
      },
      setApiVersion: async (ref, move) => {
        await admit(ref.accountId)
        return changeOf(
          ref,
          (store) => store.setApiVersion(ref, move),
          () => ({
            action: 'subscription.version_set',
            ...ofSubscription(ref),
            details: { apiVersion: move.apiVersion },
          }),
        )
      },
      rotateSecret: async (ref, sealedSecret, overlapMs, from) => {
        await admit(ref.accountId)
        return change(
          (stores) => stores.subscriptions.rotateSecret(ref, sealedSecret, overlapMs, from),
          (rotated) =>
            rotated ? { action: 'secret.rotated', ...ofSubscription(ref), details: { overlapMs } } : undefined,
        )
      },
    },
    deliveryLog: {
      ...deliveryLog,
      resend: async (ref, eventId) => {
        await admit(ref.accountId)
        return change(
          (stores) => stores.deliveryLog.resend(ref, eventId),
          (outcome) =>
            outcome === 'scheduled' || outcome === 'hastened'
              ? { action: 'delivery.resent', ...ofSubscription(ref), details: { eventId } }
              : undefined,
        )
      },
      async resendRange(ref, range) {
        // Only the first step is recorded, because the later steps continue the same request.
        if (range.after !== undefined) return deliveryLog.resendRange(ref, range)
        await admit(ref.accountId)
        const { states, from, to } = range
        const details = { states, from: from.toISOString(), ...(to && { to: to.toISOString() }) }
        return change(
          (stores) => stores.deliveryLog.resendRange(ref, range),
          (step) =>
            typeof step === 'object' && (step.resent > 0 || step.next !== undefined)
              ? { action: 'deliveries.resent', ...ofSubscription(ref), details }
              : undefined,
        )
      },
    },
    versions: {
      ...versions,
      move: (from, to) =>
        change(
          (stores) => stores.versions.move(from, to),
          ({ subscriptions: moved, keys: movedKeys }) =>
            moved + movedKeys === 0
              ? undefined
              : { action: 'versions.moved', details: { from, to, subscriptions: moved, keys: movedKeys } },
        ),
    },
  }
}

function ofKey({ accountId, mode, id }: { accountId: string; mode: AuditDraft['mode']; id: string }) {
  return { accountId, mode, objectId: id }
}

function ofSubscription({ accountId, mode, id }: SubscriptionRef) {
  return { accountId, mode, objectId: id }
}

/** What a subscription's changes can change. Secrets are left out: only their rotation changes them. */
const FIELDS = [
  'targetUrl',
  'eventTypes',
  'personalData',
  'description',
  'apiVersion',
  'state',
  'disabledReason',
  'ordering',
  'confirmedBy',
] as const

/** The names of the fields whose values differ. */
function changedFields(before: SubscriptionRecord | undefined, after: SubscriptionRecord | undefined): string[] {
  return FIELDS.filter((field) => !isSameJson(before?.[field], after?.[field]))
}
