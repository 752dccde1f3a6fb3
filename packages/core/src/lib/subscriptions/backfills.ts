import type { Recorder } from '../audit/recorder.ts'
import { CallboardError } from '../errors.ts'
import type { SubscriptionRef } from '../ports/subscription-record.ts'
import type { BackfillRecord, SubscriptionStore } from '../ports/subscription-store.ts'
import { pastIssue, validationFailed } from '../validation/validation.ts'
import { changed, changeSubscription } from './change-subscription.ts'

export interface BackfillOptions {
  /** Sends the events that were published at this time or later. */
  readonly since: Date
}

export interface BackfillKeeping {
  readonly store: Pick<SubscriptionStore, 'find' | 'changeSubscription' | 'findBackfill'>
  readonly recorder: Recorder
  readonly now: () => number
}

/** @throws CallboardError `VALIDATION_FAILED`, `NOT_FOUND`, `SUBSCRIPTION_DISABLED` and `RATE_LIMITED`. */
export async function startBackfill(
  keeping: BackfillKeeping,
  ref: SubscriptionRef,
  { since }: BackfillOptions,
): Promise<BackfillRecord> {
  const issue = pastIssue('since', since, keeping.now())
  if (issue !== undefined) throw validationFailed(issue)
  if (changed(await changeSubscription(keeping, ref, { act: 'start_backfill', since })) === undefined)
    throw new CallboardError('SUBSCRIPTION_DISABLED', 'The subscription is disabled. Enable it first.')
  return lastBackfill(keeping, ref)
}

/** @throws CallboardError `NOT_FOUND`, also if the subscription has had no backfill. */
export async function cancelBackfill(keeping: BackfillKeeping, ref: SubscriptionRef): Promise<BackfillRecord> {
  changed(await changeSubscription(keeping, ref, { act: 'cancel_backfill' }))
  return lastBackfill(keeping, ref)
}

/** @throws CallboardError `NOT_FOUND`, also if the subscription has had no backfill. */
export async function lastBackfill(
  { store }: Pick<BackfillKeeping, 'store'>,
  ref: SubscriptionRef,
): Promise<BackfillRecord> {
  const backfill = await store.findBackfill(ref)
  if (backfill === undefined) throw new CallboardError('NOT_FOUND', 'The subscription has had no backfill.')
  return backfill
}
