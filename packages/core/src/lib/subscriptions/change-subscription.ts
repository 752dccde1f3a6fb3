import type { AuditNote } from '../audit/audit-draft.ts'
import type { Recorder } from '../audit/recorder.ts'
import type { SubscriptionRecord, SubscriptionRef } from '../ports/subscription-record.ts'
import type { ChangeOutcome, SubscriptionAct, SubscriptionStore } from '../ports/subscription-store.ts'
import { unknownSubscription } from './changeable.ts'

interface Keeping {
  readonly store: Pick<SubscriptionStore, 'changeSubscription'>
  readonly recorder: Recorder
}

/** These acts stop something, so an account may always take them. */
const ENDING: readonly SubscriptionAct['act'][] = ['remove', 'disable', 'cancel_backfill']

/** Changes a subscription, and records who did. Throws `RATE_LIMITED` as {@link Recorder.admitChange} says. */
export async function changeSubscription(
  { store, recorder }: Keeping,
  { accountId, mode, id }: SubscriptionRef,
  act: SubscriptionAct,
): Promise<ChangeOutcome> {
  if (!ends(act)) await recorder.admitChange(accountId)
  return store.changeSubscription(
    { accountId, mode, id },
    act,
    recorder.entry({ ...noteOf(act), accountId, mode, objectId: id }),
  )
}

/** Whether an act only stops something. */
function ends(act: SubscriptionAct): boolean {
  if (act.act !== 'revise') return ENDING.includes(act.act)
  return act.state?.act === 'disable' && Object.values(act.changes).every((change) => change === undefined)
}

/** Returns the subscription, or undefined if the act was refused. Throws `NOT_FOUND`. */
export function changed(result: ChangeOutcome): SubscriptionRecord | undefined {
  if (result.outcome === 'unknown') throw unknownSubscription()
  return 'subscription' in result ? result.subscription : undefined
}

function noteOf(act: SubscriptionAct): AuditNote {
  switch (act.act) {
    case 'revise': {
      const { changes, state } = act
      const details = {
        ...(changes.apiVersion !== undefined && { apiVersion: changes.apiVersion }),
        ...(state !== undefined && { state: state.act === 'enable' ? 'active' : 'disabled' }),
      }
      return { action: 'subscription.changed', details }
    }
    case 'disable':
      return { action: 'subscription.disabled', details: { reason: act.reason } }
    case 'enable':
      return {
        action: 'subscription.enabled',
        ...(act.confirmedBy !== undefined && { details: { key: act.confirmedBy } }),
      }
    case 'skip_to_now':
      return { action: 'subscription.skipped_to_now' }
    case 'set_ordering':
      return { action: 'subscription.ordering_set', details: { ordering: act.ordering } }
    case 'rotate_secret':
      return {
        action: 'secret.rotated',
        details: { overlapMs: act.overlapMs, ...(act.confirmedBy !== undefined && { key: act.confirmedBy }) },
      }
    case 'start_backfill':
      return { action: 'backfill.started', details: { since: act.since.toISOString() } }
    case 'cancel_backfill':
      return { action: 'backfill.cancelled' }
    case 'remove':
      return { action: 'subscription.removed' }
  }
}
