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
  if (!ENDING.includes(act.act)) await recorder.admitChange(accountId)
  return store.changeSubscription(
    { accountId, mode, id },
    act,
    recorder.entry({ ...noteOf(act), accountId, mode, objectId: id }),
  )
}

/** Returns the subscription, or undefined if the act was refused. Throws `NOT_FOUND`. */
export function changed(result: ChangeOutcome): SubscriptionRecord | undefined {
  if (result.outcome === 'unknown') throw unknownSubscription()
  return result.outcome === 'refused' ? undefined : result.subscription
}

function noteOf(act: SubscriptionAct): AuditNote {
  switch (act.act) {
    case 'revise':
      return { action: 'subscription.changed' }
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
    case 'set_api_version':
      return { action: 'subscription.version_set', details: { apiVersion: act.apiVersion } }
    case 'rotate_secret':
      return { action: 'secret.rotated', details: { overlapMs: act.overlapMs } }
    case 'start_backfill':
      return { action: 'backfill.started', details: { since: act.since.toISOString() } }
    case 'cancel_backfill':
      return { action: 'backfill.cancelled' }
    case 'remove':
      return { action: 'subscription.removed' }
  }
}
