import type { AuditDraft } from '../ports/audit-store.ts'
import type { ChangedStores, Store } from '../ports/store.ts'
import type { SubscriptionRef } from '../ports/subscription-store.ts'
import type { AuditActor } from './audit-actor.ts'
import { type AuditNote, auditDraft } from './audit-draft.ts'

/**
 * Wraps the stores so that the audit trail records changes to accounts, keys, subscriptions and deliveries as changes
 * by `actor`. A change and its entry are stored together, or neither is; only the deletion of an account is stored
 * before its entry. A refused call leaves no entry. A repeated call, such as a second revocation of a key, leaves
 * another entry.
 */
export function recordedStores<Tx>(
  store: Store<Tx>,
  actor: AuditActor,
): Pick<Store<Tx>, 'accounts' | 'keys' | 'subscriptions' | 'deliveryLog' | 'versions'> {
  const { accounts, keys, subscriptions, deliveryLog, versions } = store

  const change = <Result>(
    work: (stores: ChangedStores) => Promise<Result>,
    noteOf: (result: Result) => AuditNote | undefined,
  ): Promise<Result> =>
    store.recorded(work, (result) => {
      const note = noteOf(result)
      return note && auditDraft(actor, note)
    })

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
          (stores) => stores.accounts.rename(account),
          (renamed) => (renamed ? { action: 'account.renamed', accountId: account.id } : undefined),
        ),
      // The deletion of an account takes several transactions, so its entry is recorded afterwards. If the entry cannot
      // be recorded, the caller gets an error and must repeat the call.
      async delete(accountId) {
        const known = await accounts.delete(accountId)
        if (known) await store.audit.record(auditDraft(actor, { action: 'account.deleted', accountId }))
        return known
      },
    },
    keys: {
      ...keys,
      issue: (key, limit) =>
        change(
          (stores) => stores.keys.issue(key, limit),
          ({ outcome }) =>
            outcome === 'issued' ? { action: 'key.issued', ...ofKey(key), details: { scopes: key.scopes } } : undefined,
        ),
      rotate: (request) =>
        change(
          (stores) => stores.keys.rotate(request),
          (successor) =>
            successor && {
              action: 'key.rotated',
              ...ofKey({ ...successor, id: request.keyId }),
              details: { successor: successor.id, overlapMs: request.overlapMs },
            },
        ),
      revoke: (accountId, keyId) =>
        change(
          (stores) => stores.keys.revoke(accountId, keyId),
          (key) =>
            key && {
              action: 'key.revoked',
              ...ofKey(key),
              details: { disabledSubscriptions: key.disabledSubscriptions },
            },
        ),
      setApiVersion: (accountId, keyId, apiVersion) =>
        change(
          (stores) => stores.keys.setApiVersion(accountId, keyId, apiVersion),
          (key) => key && { action: 'key.version_set', ...ofKey(key), details: { apiVersion } },
        ),
    },
    subscriptions: {
      ...subscriptions,
      create: (subscription, limits) =>
        change(
          (stores) => stores.subscriptions.create(subscription, limits),
          (result) =>
            result.outcome === 'created' || result.outcome === 'existing'
              ? {
                  action: result.outcome === 'created' ? 'subscription.created' : 'subscription.confirmed',
                  ...ofSubscription(result.subscription),
                  details: { integration: result.subscription.integration },
                }
              : undefined,
        ),
      remove: (ref, sources) =>
        change(
          (stores) => stores.subscriptions.remove(ref, sources),
          (outcome) => (outcome === 'removed' ? { action: 'subscription.removed', ...ofSubscription(ref) } : undefined),
        ),
      change: (ref, changes) =>
        change(
          (stores) => stores.subscriptions.change(ref, changes),
          (changed) =>
            changed && {
              action: 'subscription.changed',
              ...ofSubscription(ref),
              details: { fields: namesOf(changes) },
            },
        ),
      disable: (ref, reason, replaces) =>
        change(
          (stores) => stores.subscriptions.disable(ref, reason, replaces),
          (found) =>
            found ? { action: 'subscription.disabled', ...ofSubscription(ref), details: { reason } } : undefined,
        ),
      enable: (ref, from, confirmedBy) =>
        change(
          (stores) => stores.subscriptions.enable(ref, from, confirmedBy),
          (outcome) =>
            outcome === 'enabled'
              ? {
                  action: 'subscription.enabled',
                  ...ofSubscription(ref),
                  ...(confirmedBy !== undefined && { details: { key: confirmedBy } }),
                }
              : undefined,
        ),
      skipToNow: (ref) =>
        change(
          (stores) => stores.subscriptions.skipToNow(ref),
          (outcome) =>
            outcome === 'skipped' ? { action: 'subscription.skipped_to_now', ...ofSubscription(ref) } : undefined,
        ),
      setOrdering: (ref, ordering) =>
        change(
          (stores) => stores.subscriptions.setOrdering(ref, ordering),
          (found) =>
            found ? { action: 'subscription.ordering_set', ...ofSubscription(ref), details: { ordering } } : undefined,
        ),
      setApiVersion: (ref, move) =>
        change(
          (stores) => stores.subscriptions.setApiVersion(ref, move),
          (moved) =>
            moved && {
              action: 'subscription.version_set',
              ...ofSubscription(ref),
              details: { apiVersion: move.apiVersion },
            },
        ),
      rotateSecret: (ref, sealedSecret, overlapMs, from) =>
        change(
          (stores) => stores.subscriptions.rotateSecret(ref, sealedSecret, overlapMs, from),
          (rotated) =>
            rotated ? { action: 'secret.rotated', ...ofSubscription(ref), details: { overlapMs } } : undefined,
        ),
    },
    deliveryLog: {
      ...deliveryLog,
      resend: (ref, eventId) =>
        change(
          (stores) => stores.deliveryLog.resend(ref, eventId),
          (outcome) =>
            outcome === 'scheduled' || outcome === 'hastened'
              ? { action: 'delivery.resent', ...ofSubscription(ref), details: { eventId } }
              : undefined,
        ),
      resendRange(ref, range) {
        // Only the first step is recorded, because the later steps continue the same request.
        if (range.after !== undefined) return deliveryLog.resendRange(ref, range)
        const { states, from, to } = range
        const details = { states, from: from.toISOString(), ...(to && { to: to.toISOString() }) }
        return change(
          (stores) => stores.deliveryLog.resendRange(ref, range),
          (step) =>
            typeof step === 'object' ? { action: 'deliveries.resent', ...ofSubscription(ref), details } : undefined,
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

/** The names of the fields that have a value. */
function namesOf(fields: object): string[] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
}
