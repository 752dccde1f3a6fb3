import type { KeyRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { confirmAction } from '../../components/action-form.ts'
import { type Html, html } from '../../html.ts'
import { versionField } from '../format-version.ts'
import { overlapField } from '../overlap-field.ts'
import { expiryField } from './key-expiry.ts'
import { mayGive } from './key-scopes.ts'
import type { KeyStanding } from './key-standing.ts'

export interface KeyActionsInput {
  readonly standing: KeyStanding
  /** The number of active subscriptions that depend on the key. Revoking the key disables them. */
  readonly subscriptions: number
}

/** The buttons to rotate and revoke a key. Each asks for confirmation and explains the effect. */
export function keyActions(call: Call, key: KeyRecord, { standing, subscriptions }: KeyActionsInput): Html {
  if (standing === 'revoked' || standing === 'expired') return undefined
  const path = `/keys/${key.id}`
  const revoke = confirmAction({
    action: call.href(`${path}/revoke`),
    label: 'Revoke',
    look: 'danger',
    question: [
      html`<p>The key stops working immediately. This cannot be undone.</p>`,
      html`<p>${effectOn(subscriptions)}</p>`,
    ],
    confirm: 'Revoke key',
  })
  const version = versionField(call, {
    value: key.apiVersion,
    hint: 'Applies to requests with this key. Its subscriptions keep their own versions.',
  })
  const move =
    version &&
    confirmAction({
      action: call.href(`${path}/version`),
      label: 'Change version',
      question: html`<p>The program that uses the key gets events in another shape immediately.</p>`,
      fields: version,
      confirm: 'Change version',
    })
  if (standing === 'replaced') return revoke
  if (!mayGive(key.scopes, call)) return [move, revoke]
  const rotate = confirmAction({
    action: call.href(`${path}/rotate`),
    label: 'Rotate',
    question: html`<p>You get a new key with the same scopes. It takes over the subscriptions of this key, so deliveries are not interrupted.</p>`,
    fields: [overlapField('Keep the old key valid for'), expiryField(key.expiresAt === undefined ? '' : '90')],
    confirm: 'Rotate key',
  })
  return [rotate, move, revoke]
}

function effectOn(subscriptions: number): string {
  if (subscriptions === 0) return 'No active subscription depends on it.'
  return subscriptions === 1
    ? '1 active subscription depends on it and will be disabled. To keep it active, rotate the key instead.'
    : `${subscriptions} active subscriptions depend on it and will be disabled. To keep them active, rotate the key instead.`
}
