import type { DisabledReason, SubscriptionRecord } from '@callboard/core'
import {
  ENABLES_FROM,
  type ImportedSubscription,
  type NewSubscription,
  REPLACES,
  type ResultOf,
  type Store,
  type SubscriptionAct,
  type SubscriptionRef,
} from '@callboard/core/store'
import { ENTRY } from './inputs.ts'

/** Limits of subscriptions that no test reaches. */
export const ROOMY = { total: 10_000, newPerMinute: 10_000 }

type Changed = ResultOf<'subscriptions', 'changeSubscription'>
type Outcome = Promise<Changed['outcome']>
type Some = Pick<Store<unknown>, 'subscriptions'>

export function create(
  store: Some,
  input: NewSubscription,
  limits: typeof ROOMY = ROOMY,
): Promise<ResultOf<'subscriptions', 'createSubscription'>> {
  return store.subscriptions.createSubscription(input, limits, ENTRY)
}

/** Imports subscriptions, and returns the outcomes without ids. */
export async function importAll(
  store: Some,
  items: readonly ImportedSubscription[],
  limits: { readonly total?: number; readonly dryRun?: boolean } = {},
): Promise<string[]> {
  const outcomes = await store.subscriptions.importSubscriptions(items, { ...ROOMY, dryRun: false, ...limits })
  return outcomes.map(({ outcome }) => outcome)
}

export function change(store: Some, ref: SubscriptionRef, act: SubscriptionAct): Promise<Changed> {
  return store.subscriptions.changeSubscription(ref, act, ENTRY)
}

async function outcomeOf(...[store, ref, act]: Parameters<typeof change>): Outcome {
  return (await change(store, ref, act)).outcome
}

/** The subscription after the act. If there is none, the outcome. */
async function resultOf(...[store, ref, act]: Parameters<typeof change>): Promise<SubscriptionRecord | string> {
  const result = await change(store, ref, act)
  return 'subscription' in result ? result.subscription : result.outcome
}

type Revise = Extract<SubscriptionAct, { act: 'revise' }>

export function revise(
  store: Some,
  ref: SubscriptionRef,
  changes: Revise['changes'],
  more: Omit<Revise, 'act' | 'changes'> = {},
): Promise<SubscriptionRecord | string> {
  return resultOf(store, ref, { act: 'revise', changes, ...more })
}

export function disable(
  store: Some,
  ref: SubscriptionRef,
  reason: DisabledReason = 'platform',
  replaces: readonly DisabledReason[] = REPLACES.platform,
): Outcome {
  return outcomeOf(store, ref, { act: 'disable', reason, replaces })
}

export function enable(
  store: Some,
  ref: SubscriptionRef,
  from: readonly DisabledReason[] = ENABLES_FROM.platform,
  confirmedBy?: string,
): Outcome {
  return outcomeOf(store, ref, { act: 'enable', from, confirmedBy })
}

export function skipToNow(store: Some, ref: SubscriptionRef): Outcome {
  return outcomeOf(store, ref, { act: 'skip_to_now' })
}

export function startBackfill(store: Some, ref: SubscriptionRef, since: Date): Outcome {
  return outcomeOf(store, ref, { act: 'start_backfill', since })
}

export function cancelBackfill(store: Some, ref: SubscriptionRef): Outcome {
  return outcomeOf(store, ref, { act: 'cancel_backfill' })
}

export function setOrdering(store: Some, ref: SubscriptionRef, ordering: SubscriptionRecord['ordering']): Outcome {
  return outcomeOf(store, ref, { act: 'set_ordering', ordering })
}

export function rotateSecret(
  store: Some,
  ref: SubscriptionRef,
  sealedSecret: string,
  overlapMs: number,
  from?: string,
  confirmedBy?: string,
): Outcome {
  return outcomeOf(store, ref, { act: 'rotate_secret', sealedSecret, overlapMs, from, confirmedBy })
}

export function remove(
  store: Some,
  ref: SubscriptionRef,
  sources: readonly SubscriptionRecord['source'][] = ['api'],
): Outcome {
  return outcomeOf(store, ref, { act: 'remove', sources })
}
