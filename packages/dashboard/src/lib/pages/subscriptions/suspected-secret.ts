import type { DeliveryRecord, LoggedAttempt, SubscriptionRecord, SubscriptionWithHealth } from '@callboard/core'
import type { Call } from '../../call.ts'
import { type Html, html } from '../../html.ts'
import { isSignatureRefused, mayRefuseSignature, type SaidAttempt } from '../deliveries/attempt-words.ts'
import { integrationName } from './manager.ts'
import { ageInWords } from './subscription-state.ts'

/** A rotation before this time does not explain why the target refuses the signature only now. */
const LATELY_MS = 7 * 86_400_000
/** How many entries of the audit trail are searched for the rotation. */
const SEARCHED = 50

/**
 * “The secret was rotated 20 minutes ago.” if the target has refused the signature since the last rotation; otherwise
 * undefined.
 */
export async function lateRotation(
  { accountId, mode, id }: SubscriptionRecord,
  last: LoggedAttempt | DeliveryRecord['lastAttempt'],
  call: Call,
): Promise<string | undefined> {
  if (last === undefined || !isSignatureRefused(last)) return undefined
  const attempted = 'at' in last ? last.at : last.startedAt
  const { entries } = await call.callboard.audit.list({ accountId, mode, objectId: id, limit: SEARCHED })
  const rotation = entries.find(({ action }) => action === 'secret.rotated')
  return rotation !== undefined && rotation.at <= attempted && call.engine.now() - rotation.at.getTime() < LATELY_MS
    ? call.texts.advice.secretRotated(ageInWords(rotation.at, call))
    : undefined
}

export interface Suspicion {
  /** The last attempt, with its response if that was read. */
  readonly last: SaidAttempt | undefined
  /** The result of {@link lateRotation}. */
  readonly rotated: string | undefined
}

/** Reads whether a wrong secret may be why a subscription fails. Reads nothing if its last attempt rules that out. */
export async function suspicionOf(subscription: SubscriptionWithHealth, call: Call): Promise<Suspicion> {
  const { accountId, mode, id: subscriptionId, health } = subscription
  if (health.lastAttempt === undefined || !mayRefuseSignature(health.lastAttempt))
    return { last: health.lastAttempt, rotated: undefined }
  const { attempts } = await call.callboard.deliveries.attempts({ accountId, mode, subscriptionId, limit: 1 })
  const [last] = attempts
  return { last, rotated: await lateRotation(subscription, last, call) }
}

/**
 * How to get a new secret, if the target refused the signature and the subscription was created through the API, so that
 * there are no links as those of {@link secretLinks}.
 */
export function lostSecret(subscription: SubscriptionRecord, last: SaidAttempt | undefined, call: Call): string[] {
  if (last === undefined || !isSignatureRefused(last) || subscription.source !== 'api') return []
  const { program, of } = call.texts.advice.lostSecret
  return [subscription.integration === 'other' ? program : of(integrationName(subscription, call))]
}

/** The links to rotate the secret and to see how to verify, if the target refused the signature and the viewer can. */
export function secretLinks({ id, source }: SubscriptionRecord, last: SaidAttempt | undefined, call: Call): Html {
  if (last === undefined || !isSignatureRefused(last)) return undefined
  if (source !== 'dashboard' || !call.may('webhooks.write')) return undefined
  const { rotate, howToVerify } = call.texts.secrets
  const to = (part: string): string => `${call.href(`/subscriptions/${id}`)}#${part}`
  return [
    html`<a class="button" href=${to('secret')}>${rotate}</a>`,
    html`<a class="button button-quiet" href=${to('verify')}>${howToVerify}</a>`,
  ]
}
