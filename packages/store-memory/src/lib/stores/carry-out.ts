import { changedFields, changeSelections, laneActs, type ResultOf, type SubscriptionAct } from '@callboard/core/store'
import { startBackfill } from '../lanes/backfilling.ts'
import { apply, disable, enable, putLane, skip } from '../lanes/lanes.ts'
import {
  type AccountState,
  keyOfBytes,
  type MemoryState,
  type ModeState,
  type SubscriptionState,
} from '../memory-state.ts'
import { forget, index } from '../mode-subscriptions.ts'
import { confirm, lastSuccessor } from './key-store.ts'

type Changed = ResultOf<'subscriptions', 'changeSubscription'>
type Refused = Exclude<Changed, { readonly outcome: 'changed' | 'unchanged' | 'unknown' }>

const REFUSED: Refused = { outcome: 'refused' }

/** Does what an act says. Returns undefined if only the record says whether something has changed. */
export function carryOut(
  state: MemoryState,
  account: AccountState,
  subscription: SubscriptionState,
  act: SubscriptionAct,
): 'changed' | Refused | undefined {
  const { record, lane } = subscription
  const home = account.modes[record.mode]
  const confirmBy = (keyId: string | undefined): void => {
    if (keyId !== undefined) confirm(subscription, lastSuccessor(account, keyId))
  }
  switch (act.act) {
    case 'revise': {
      const refused = revise(state, home, subscription, act)
      if (refused === undefined && changedFields(record, subscription.record).length > 0) confirmBy(act.confirmedBy)
      return refused
    }
    case 'disable':
      disable(state, subscription, act.reason, act.replaces)
      return
    case 'enable':
      if (!enable(state, subscription, act.from)) return REFUSED
      confirmBy(act.confirmedBy)
      return
    case 'skip_to_now':
      if (record.state === 'disabled') return REFUSED
      skip(state, subscription, 'skipped')
      return 'changed'
    case 'set_ordering':
      subscription.record = { ...record, ordering: act.ordering }
      apply(state, subscription, laneActs.reordered(lane, subscription.retries, act.ordering, state.now()))
      return
    case 'rotate_secret': {
      const former = record.secrets.slice(0, 1)
      if (act.from !== undefined && former[0]?.sealed !== act.from) return REFUSED
      const expiresAt = new Date(state.now() + act.overlapMs)
      const secrets = [{ sealed: act.sealedSecret, expiresAt: undefined }]
      subscription.record = { ...record, secrets: [...secrets, ...former.map(({ sealed }) => ({ sealed, expiresAt }))] }
      confirmBy(act.confirmedBy)
      return 'changed'
    }
    case 'start_backfill': {
      if (record.state === 'disabled') return REFUSED
      const change = startBackfill(state, subscription, act)
      if (change === undefined) return
      apply(state, subscription, change)
      return 'changed'
    }
    case 'cancel_backfill': {
      const cancelled = laneActs.backfillCancelled(lane)
      if (cancelled === lane) return
      putLane(state, subscription, cancelled)
      return 'changed'
    }
    case 'remove':
      subscription.removed = true
      subscription.removedAt = state.now()
      putLane(state, subscription, { ...lane, wakeAt: undefined })
      subscription.retries.clear()
      forget(home, subscription)
      return 'changed'
  }
}

function revise(
  state: MemoryState,
  home: ModeState,
  subscription: SubscriptionState,
  { changes, state: turn, identity: digest, seen }: Extract<SubscriptionAct, { act: 'revise' }>,
): Refused | undefined {
  const { record } = subscription
  const { targetUrl, eventTypes, externalRef } = record
  if (changedFields(record, { ...record, ...seen }).length > 0) return { outcome: 'stale' }
  const reason = record.disabledReason
  if (turn?.act === 'enable' && reason !== undefined && !turn.from.includes(reason))
    return { outcome: 'stays_disabled' }
  const revised = {
    ...record,
    targetUrl: changes.targetUrl ?? targetUrl,
    eventTypes: changes.eventTypes ?? eventTypes,
    personalData: changes.personalData ?? record.personalData,
    apiVersion: changes.apiVersion ?? record.apiVersion,
    description: changes.description === undefined ? record.description : (changes.description ?? undefined),
    signatures: changes.signatures ?? record.signatures,
    externalRef: changes.externalRef === undefined ? externalRef : (changes.externalRef ?? undefined),
  }
  const fields = changedFields(record, revised)

  const identity = fields.length > 0 && digest ? keyOfBytes(digest) : subscription.identity
  const other = identity === undefined ? undefined : home.subscriptionsByIdentity.get(identity)
  if (other !== undefined && other !== subscription) return { outcome: 'exists', subscriptionId: other.record.id }
  const ends = record.state === 'disabled' || turn?.act === 'disable'
  const [current] = subscription.selections
  if (fields.includes('eventTypes') && !ends && subscription.lane.settledThrough < current.after) return REFUSED

  if (turn?.act === 'disable') disable(state, subscription, turn.reason, turn.replaces)
  if (fields.includes('eventTypes')) {
    if (ends) skip(state, subscription, 'disabled')
    subscription.selections = changeSelections(subscription.selections, revised.eventTypes, state.position)
    putLane(state, subscription, laneActs.retyped(subscription.lane, state.position))
  }
  forget(home, subscription)
  const { state: switched, disabledReason } = subscription.record
  subscription.record = { ...revised, state: switched, disabledReason }
  subscription.identity = identity
  index(home, subscription)
  if (fields.includes('targetUrl'))
    apply(state, subscription, laneActs.retargeted(subscription.lane, subscription.retries, state.now()))
  if (turn?.act === 'enable') enable(state, subscription, turn.from)
  return undefined
}
