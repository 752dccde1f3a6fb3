import type { SubscriptionRecord } from '@callboard/core'
import { validationFailed } from '@callboard/core/engine'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { confirmAction } from '../../components/action-form.ts'
import { field } from '../../components/field.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { UNREADABLE_FORM } from '../issue-words.ts'
import { askedOwn } from './asked-subscription.ts'
import { secretPage } from './secret-page.ts'

const HOUR_MS = 3_600_000

/** How long the former secret may sign beside the new one. */
const OVERLAPS = [
  { value: '24', text: '24 hours', ms: 24 * HOUR_MS },
  { value: '1', text: '1 hour', ms: HOUR_MS },
  { value: '168', text: '7 days', ms: 168 * HOUR_MS },
  { value: '0', text: 'Not at all: it has leaked', ms: 0 },
] as const

/** The button that rotates the secret, and what is to be known before. */
export async function rotateForm(subscription: SubscriptionRecord, call: Call): Promise<Html> {
  const until = formerUntil(subscription)
  return confirmAction({
    action: call.href(`/subscriptions/${subscription.id}/rotate`),
    label: 'Rotate secret',
    confirm: 'Rotate secret',
    hidden: { version: await call.callboard.subscriptions.secretVersion(subscription) },
    question: [
      html`<p>This creates a new secret, which is shown once. While both secrets sign, your receiver may know either.</p>`,
      until &&
        html`<p><strong>A rotation is under way: the secret before the current one signs until ${time(until, { as: 'full' })}, and stops at once if you rotate again.</strong></p>`,
    ],
    fields: field({
      kind: 'select',
      name: 'overlap',
      label: 'The former secret goes on signing for',
      options: OVERLAPS,
    }),
  })
}

/** Until when the former secret signs; undefined: there is none. */
export function formerUntil({ secrets }: SubscriptionRecord): Date | undefined {
  return secrets[1]?.expiresAt
}

/** Rotates the secret that the form was made for, once, and shows the new one. */
export async function rotateSecret(call: Call): Promise<Page> {
  const subscription = await askedOwn(call)
  const form = await call.form()
  const overlap = OVERLAPS.find(({ value }) => value === form.get('overlap'))
  const version = form.get('version')
  if (overlap === undefined || version === null)
    throw validationFailed({ path: '', code: 'FORMAT', message: UNREADABLE_FORM })
  const secret = await call.callboard.subscriptions.rotateSecret(subscription, {
    overlapMs: overlap.ms,
    version,
    by: 'account',
  })
  const until = formerUntil(await askedOwn(call))
  return secretPage(call, {
    id: subscription.id,
    targetUrl: subscription.targetUrl,
    secret,
    title: 'Secret rotated',
    lead:
      until === undefined
        ? 'Only the new secret signs now.'
        : html`<span>Until ${time(until, { as: 'full' })} the former secret signs as well.</span>`,
  })
}
