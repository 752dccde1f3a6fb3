import type { SubscriptionRecord } from '@callboard/core'
import { validationFailed } from '@callboard/core/engine'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { confirmAction } from '../../components/action-form.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { UNREADABLE_FORM } from '../issue-words.ts'
import { overlapField, overlapOf } from '../overlap-field.ts'
import { askedOwn } from './asked-subscription.ts'
import { secretPage } from './secret-page.ts'

/** The button that rotates the secret. It asks for confirmation and explains the effect. */
export async function rotateForm(subscription: SubscriptionRecord, call: Call): Promise<Html> {
  const until = previousUntil(subscription)
  return confirmAction({
    action: call.href(`/subscriptions/${subscription.id}/rotate`),
    label: 'Rotate secret',
    confirm: 'Rotate secret',
    hidden: { version: await call.callboard.subscriptions.secretVersion(subscription) },
    question: [
      html`<p>This creates a new secret, which is shown once. While both secrets sign, your receiver can verify with either.</p>`,
      until &&
        html`<p><strong>A rotation is in progress: the previous secret also signs until ${time(until, { as: 'full' })}. It stops immediately if you rotate again.</strong></p>`,
    ],
    fields: overlapField('Keep the old secret valid for'),
  })
}

/** The time until which the previous secret also signs; undefined if there is no previous secret. */
export function previousUntil({ secrets }: SubscriptionRecord): Date | undefined {
  return secrets[1]?.expiresAt
}

/**
 * Rotates the secret that the form was created for, and shows the new secret. Posting the same form again does not
 * rotate again.
 */
export async function rotateSecret(call: Call): Promise<Page> {
  const subscription = await askedOwn(call)
  const form = await call.form()
  const overlap = overlapOf(form)
  const version = form.get('version')
  if (overlap === undefined || version === null)
    throw validationFailed({ path: '', code: 'FORMAT', message: UNREADABLE_FORM })
  const secret = await call.callboard.subscriptions.rotateSecret(subscription, {
    overlapMs: overlap.ms,
    version,
    by: 'account',
  })
  const until = previousUntil(await askedOwn(call))
  return secretPage(call, {
    id: subscription.id,
    targetUrl: subscription.targetUrl,
    secret,
    title: 'Secret rotated',
    lead:
      until === undefined
        ? 'Only the new secret signs now.'
        : html`<span>The old secret also signs until ${time(until, { as: 'full' })}.</span>`,
  })
}
