import { isSameJson } from '../events/is-same-json.ts'
import type { ChangedStores, Store } from '../ports/store.ts'
import type { SubscriptionRecord, SubscriptionRef, SubscriptionStore } from '../ports/subscription-store.ts'
import type { AuditNote } from './audit-draft.ts'
import type { Recorder } from './recorder.ts'

/**
 * Wraps the store of subscriptions so that the audit trail records its changes. A change and its entry are stored
 * together, or neither is. A call that is refused, or that changes nothing, leaves no entry.
 */
export function recordedStores<Tx>(store: Store<Tx>, { entry, admit }: Recorder): SubscriptionStore {
  const { subscriptions } = store

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
  }
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
