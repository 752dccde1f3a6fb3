import type { DeliveryRecord, LoggedAttempt, SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { type Html, html } from '../../html.ts'
import { isSignatureRefused, type SaidAttempt } from '../deliveries/attempt-words.ts'
import { ageInWords } from './subscription-state.ts'

/** A rotation before this time does not explain why the target refuses the signature only now. */
const LATELY_MS = 7 * 86_400_000
/** How many entries of the audit trail are searched for the rotation. */
const SEARCHED = 50

/** “The secret was rotated 20 minutes ago.” if the target refused the signature after that; otherwise undefined. */
export async function lateRotation(
  { accountId, mode, id }: SubscriptionRecord,
  last: LoggedAttempt | DeliveryRecord['lastAttempt'],
  call: Call,
): Promise<string | undefined> {
  if (last === undefined || !isSignatureRefused(last)) return undefined
  const attempted = 'at' in last ? last.at : last.startedAt
  const { entries } = await call.callboard.audit.list({ accountId, mode, objectId: id, limit: SEARCHED })
  const rotation = entries.find(({ action, at }) => action === 'secret.rotated' && at <= attempted)
  return rotation !== undefined && call.engine.now() - rotation.at.getTime() < LATELY_MS
    ? call.texts.advice.secretRotated(ageInWords(rotation.at, call))
    : undefined
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
