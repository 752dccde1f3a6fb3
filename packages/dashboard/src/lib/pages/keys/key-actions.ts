import type { KeyRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { confirmAction } from '../../components/action-form.ts'
import { field } from '../../components/field.ts'
import { type Html, html } from '../../html.ts'
import { expiryField } from './key-expiry.ts'
import { mayGive } from './key-scopes.ts'
import type { KeyStanding } from './key-standing.ts'

const HOUR_MS = 3_600_000

/** How long the old key works beside the new one, in milliseconds. */
export const OVERLAPS: Readonly<Record<string, { readonly text: string; readonly ms: number }>> = {
  day: { text: 'A day', ms: 24 * HOUR_MS },
  week: { text: 'A week', ms: 7 * 24 * HOUR_MS },
  hour: { text: 'An hour', ms: HOUR_MS },
  none: { text: 'Not at all: end it now', ms: 0 },
}

export interface KeyActionsInput {
  readonly standing: KeyStanding
  /** Active ones that count on the key. */
  readonly subscriptions: number
}

/** Rotating and revoking, each behind a second step that says what happens. */
export function keyActions(call: Call, key: KeyRecord, { standing, subscriptions }: KeyActionsInput): Html {
  if (standing === 'revoked' || standing === 'expired') return undefined
  const path = `/keys/${key.id}`
  const revoke = confirmAction({
    action: call.href(`${path}/revoke`),
    label: 'Revoke',
    look: 'danger',
    question: [
      html`<p>It stops at once, everywhere, and cannot be switched on again.</p>`,
      html`<p>${whatStops(subscriptions)}</p>`,
    ],
    confirm: 'Revoke the key',
  })
  if (standing === 'replaced') return revoke
  if (!mayGive(key.scopes, call)) return revoke
  const rotate = confirmAction({
    action: call.href(`${path}/rotate`),
    label: 'Rotate',
    question: html`<p>You get a new key that may do the same, and takes over the subscriptions of this one: nothing is interrupted.</p>`,
    fields: [
      field({
        kind: 'select',
        name: 'overlap',
        label: 'How long the old key goes on working',
        hint: 'As long as you need to put the new one in its place.',
        value: 'day',
        options: Object.entries(OVERLAPS).map(([value, { text }]) => ({ value, text })),
      }),
      expiryField(key.expiresAt === undefined ? '' : '90'),
    ],
    confirm: 'Rotate the key',
  })
  return [rotate, revoke]
}

function whatStops(subscriptions: number): string {
  if (subscriptions === 0) return 'No active subscription counts on it.'
  return subscriptions === 1
    ? '1 active subscription made with it stops. To keep it going, rotate the key instead.'
    : `${subscriptions} active subscriptions made with it stop. To keep them going, rotate the key instead.`
}
