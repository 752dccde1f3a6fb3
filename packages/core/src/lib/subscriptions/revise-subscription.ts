import type { Recorder } from '../audit/recorder.ts'
import { CallboardError } from '../errors.ts'
import type { SubscriptionRecord } from '../ports/subscription-record.ts'
import type { ChangeOutcome, Revise, RevisedFields, SubscriptionStore } from '../ports/subscription-store.ts'
import { validationFailed } from '../validation/validation.ts'
import type { Formats } from '../versions/formats.ts'
import { changed, changeSubscription } from './change-subscription.ts'
import { disabledByPlatform } from './changeable.ts'
import { subscriptionIdentity } from './subscription-identity.ts'
import type { SubscriptionRules } from './subscription-rules.ts'

interface Keeping {
  readonly store: Pick<SubscriptionStore, 'changeSubscription'>
  readonly recorder: Recorder
  readonly formats: Formats
  readonly rules: SubscriptionRules
}

/**
 * How often a change of the identity is tried again because another call has changed the identity meanwhile. Each of
 * those calls counts as a change of the account, so more of them than this in a row are no accident.
 */
const TRIES = 10

/**
 * Changes fields of a subscription, and its state if `more.state` is given, in one step.
 *
 * @param find reads the subscription; it throws if the caller may not change it.
 * @throws CallboardError `VALIDATION_FAILED`, `NOT_FOUND`, `CHANGE_PENDING`, `DISABLED_BY_PLATFORM`,
 *   `SUBSCRIPTION_EXISTS`, and `RATE_LIMITED` when other calls keep changing the subscription.
 */
export async function reviseSubscription(
  keeping: Keeping,
  find: () => Promise<SubscriptionRecord>,
  asked: RevisedFields,
  more: Pick<Revise, 'state' | 'confirmedBy'> = {},
): Promise<SubscriptionRecord> {
  for (let left = TRIES; left > 0; left--) {
    const found = await find()
    const changes = checkedChanges(keeping, found, asked)
    const identity = await identityAfter(keeping, found, changes)
    const result = await changeSubscription(keeping, found, { act: 'revise', changes, ...identity, ...more })
    if (result.outcome !== 'stale') return revised(result)
  }
  const message = 'Other calls keep changing this subscription. Try again in 1 s.'
  throw new CallboardError('RATE_LIMITED', message, { retryAfter: 1 })
}

/** Returns the changes without event types and a version that the subscription has already. */
function checkedChanges(
  { rules, formats }: Keeping,
  { accountId, eventTypes: present, apiVersion: pinned }: SubscriptionRecord,
  { eventTypes: asked, apiVersion = pinned, ...others }: RevisedFields,
): RevisedFields {
  const isSame = asked?.length === present.length && asked.every((type) => present.includes(type))
  const moves = apiVersion !== pinned
  const changes = { ...others, eventTypes: isSame ? undefined : asked, apiVersion: moves ? apiVersion : undefined }
  // An event type that the newest version lacks has ended, so it does not prevent a change to another version.
  const newest = formats.served(formats.current)
  const knownTypes = moves ? present.filter((type) => newest.get(type) === undefined) : present
  rules.check({
    ...changes,
    accountId,
    pinned,
    eventTypes: moves ? asked : changes.eventTypes,
    knownTypes,
    description: changes.description ?? undefined,
    externalRef: changes.externalRef ?? undefined,
  })
  const version = formats.served(apiVersion)
  const missing = present.find((type) => version.get(type) === undefined && !knownTypes.includes(type))
  if (moves && asked === undefined && missing !== undefined) {
    const message = `Version ${version.version} has no ${missing}, which the subscription includes.`
    throw validationFailed({ path: 'apiVersion', code: 'CONFLICT', message })
  }
  return changes
}

/** The identity that a subscription from the API gets by these changes, and the fields that it follows from. */
async function identityAfter(
  { rules }: Keeping,
  found: SubscriptionRecord,
  { targetUrl, eventTypes, externalRef }: RevisedFields,
): Promise<Pick<Revise, 'identity' | 'seen'>> {
  const changesIt = targetUrl !== undefined || eventTypes !== undefined || externalRef !== undefined
  if (found.source !== 'api' || !changesIt) return {}
  const after = {
    integration: found.integration,
    targetUrl: targetUrl ?? found.targetUrl,
    eventTypes: eventTypes ?? found.eventTypes,
    externalRef: externalRef === undefined ? found.externalRef : (externalRef ?? undefined),
  }
  const seen = { targetUrl: found.targetUrl, eventTypes: found.eventTypes, externalRef: found.externalRef }
  return { identity: await subscriptionIdentity(after, rules), seen }
}

function revised(result: ChangeOutcome): SubscriptionRecord {
  if (result.outcome === 'exists')
    throw new CallboardError(
      'SUBSCRIPTION_EXISTS',
      `Subscription ${result.subscriptionId} already has this target, event types, integration and externalRef. Use it, or send something else.`,
      { subscriptionId: result.subscriptionId },
    )
  if (result.outcome === 'stays_disabled') throw disabledByPlatform()
  const subscription = changed(result)
  if (subscription === undefined) throw changePending()
  return subscription
}

function changePending(): CallboardError {
  const message =
    'Deliveries from before the last change of event types are still pending. Wait until they are sent, or disable the subscription, which ends them.'
  return new CallboardError('CHANGE_PENDING', message)
}
