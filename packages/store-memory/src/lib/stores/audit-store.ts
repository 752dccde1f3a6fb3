import type { AuditEntry, DisabledReason } from '@callboard/core'
import type { AuditDraft, Store, SubscriptionRef } from '@callboard/core/store'
import type { MemoryState } from '../memory-state.ts'

const MINUTE_MS = 60_000

export function createAuditStore(state: MemoryState): Store<unknown>['audit'] {
  return {
    async recordEntry(draft) {
      recordEntry(state, draft)
    },
    async untilRoom(accountId, limit) {
      const own = state.auditEntries.filter(
        (entry) => entry.accountId === accountId && (entry.actor.type === 'key' || entry.actor.type === 'viewer'),
      )
      const decisive = own[own.length - limit]
      return decisive === undefined ? 0 : Math.max(0, decisive.at.getTime() + MINUTE_MS - state.now())
    },
    async list({ accountId, mode, objectId, before = Number.POSITIVE_INFINITY, limit }) {
      const asked = (entry: AuditEntry): boolean =>
        entry.number < before &&
        (accountId === undefined || entry.accountId === accountId) &&
        (mode === undefined || entry.mode === undefined || entry.mode === mode) &&
        (objectId === undefined || entry.objectId === objectId)
      return state.auditEntries.filter(asked).reverse().slice(0, limit)
    },
    async findObjects(ids) {
      return [...state.accounts.values()].flatMap(({ keys, modes }) =>
        ids.flatMap((id) => {
          const key = keys.get(id)?.record
          const subscription = (modes.live.subscriptions.get(id) ?? modes.test.subscriptions.get(id))?.record
          return [...(key ? [{ id, key }] : []), ...(subscription ? [{ id, subscription }] : [])]
        }),
      )
    },
  }
}

/** Records that a worker has disabled a subscription. */
export function recordDisabled(state: MemoryState, ref: SubscriptionRef, reason: DisabledReason): void {
  const { accountId, mode, id } = ref
  const actor = { type: 'worker', id: undefined } as const
  recordEntry(state, { actor, action: 'subscription.disabled', accountId, mode, objectId: id, details: { reason } })
}

/** @param counts what the change has shown; added to the entry's details. */
export function recordEntry(state: MemoryState, draft: AuditDraft, counts: AuditEntry['details'] = {}): void {
  const { number = 0 } = state.auditEntries.at(-1) ?? {}
  const details = { ...draft.details, ...counts }
  state.auditEntries.push({ ...draft, details, number: number + 1, at: new Date(state.now()) })
}
