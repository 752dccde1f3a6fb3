import type { SubscriptionRecord } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { confirmAction } from '../../components/action-form.ts'
import { nameOf } from '../../components/subscription-name.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { UnreadableFormError } from '../../unreadable-form.ts'
import { overlapField, overlapOf } from '../overlap-field.ts'
import { askedOwn } from './asked-subscription.ts'
import { personalDataForbids } from './personal-data-guard.ts'
import { secretPage } from './secret-page.ts'

/** The button that rotates the secret. It asks for confirmation and explains the effect. */
export async function rotateForm(subscription: SubscriptionRecord, call: Call): Promise<Html> {
  const words = call.texts.secrets
  const until = previousUntil(subscription)
  const onlyNewest = signsOnlyNewest(subscription)
  return confirmAction({
    action: call.href(`/subscriptions/${subscription.id}/rotate`),
    label: words.rotate,
    confirm: words.rotate,
    of: nameOf(subscription),
    hidden: {
      version: await call.callboard.subscriptions.secretVersion(subscription),
      // The old secret then signs nothing, but as long as it is kept, a reload shows the new secret again.
      ...(onlyNewest && { overlap: 'hour' }),
    },
    question: [
      html`<p>${[words.rotateQuestion, !onlyNewest && words.bothSign, newestOnly(subscription, call)].filter(Boolean).join(' ')}</p>`,
      until && html`<p><strong>${words.rotationInProgress(time(call, until, { as: 'full' }))}</strong></p>`,
    ],
    fields: !onlyNewest && overlapField(call, words.overlap),
  })
}

/** The time until which the previous secret also signs; undefined if only the newest secret signs. */
export function previousUntil(subscription: SubscriptionRecord): Date | undefined {
  return signsOnlyNewest(subscription) ? undefined : subscription.secrets[1]?.expiresAt
}

/** Says which headers only the newest secret signs; undefined if both secrets sign all of them. */
export function newestOnly(subscription: SubscriptionRecord, { texts }: Pick<Call, 'texts'>): string | undefined {
  const headers = hmacHeaders(subscription)
  return headers.length === 0 ? undefined : texts.secrets.newestOnly(headers.join(', '))
}

function signsOnlyNewest(subscription: SubscriptionRecord): boolean {
  return hmacHeaders(subscription).length === subscription.signatures.length
}

function hmacHeaders({ signatures }: SubscriptionRecord): string[] {
  return signatures.filter((format) => typeof format === 'object').map(({ header }) => header)
}

/**
 * Rotates the secret that the form was created for, and shows the new secret. Posting the same form again does not
 * rotate again.
 */
export async function rotateSecret(call: Call): Promise<Page> {
  const subscription = await askedOwn(call)
  const forbidden = personalDataForbids(subscription, call, call.texts.secrets.forbidden)
  if (forbidden !== undefined) return forbidden
  const form = await call.form()
  const overlap = overlapOf(form)
  const version = form.get('version')
  if (overlap === undefined || version === null) throw new UnreadableFormError('unreadableForm')
  const secret = await call.callboard.subscriptions.rotateSecret({
    ...subscription,
    overlapMs: overlap.ms,
    version,
    by: 'account',
  })
  const until = previousUntil(await askedOwn(call))
  return secretPage(call, subscription, {
    secret,
    title: call.texts.secrets.rotated,
    lead:
      until === undefined
        ? call.texts.secrets.onlyNew
        : [call.texts.secrets.oldUntil(time(call, until, { as: 'full' })), ' ', newestOnly(subscription, call)],
  })
}
