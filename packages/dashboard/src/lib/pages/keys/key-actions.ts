import type { KeyRecord } from '@callboard/core'
import { keyName } from '@callboard/core/engine'
import type { Call } from '../../call.ts'
import { confirmAction } from '../../components/action-form.ts'
import { count } from '../../components/number.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { versionField } from '../format-version.ts'
import { overlapField } from '../overlap-field.ts'
import { expiryField } from './key-expiry.ts'
import { mayGive } from './key-scopes.ts'
import type { KeyState } from './key-state.ts'

export interface KeyActionsInput {
  readonly state: KeyState
  /** The number of active subscriptions that depend on the key. Revoking the key disables them. */
  readonly subscriptions: number
}

/** The buttons to rotate and revoke a key. Each asks for confirmation and explains the effect. */
export function keyActions(call: Call, key: KeyRecord, { state, subscriptions }: KeyActionsInput): Html {
  if (state === 'revoked' || state === 'expired') return undefined
  const { actions: words } = call.texts.keys
  const path = `/keys/${key.id}`
  const of = visibleText(keyName(key))
  const revoke = confirmAction({
    action: call.href(`${path}/revoke`),
    label: words.revoke,
    look: 'danger',
    of,
    question: [
      html`<p>${words.revokeQuestion}</p>`,
      html`<p>${subscriptions === 0 ? words.noneDepends : words.depend(count(call, subscriptions))}</p>`,
    ],
    confirm: words.revokeConfirm,
  })
  const version = versionField(call, {
    value: key.apiVersion,
    hint: words.moveHint,
  })
  const move =
    version &&
    confirmAction({
      action: call.href(`${path}/version`),
      label: words.move,
      of,
      question: html`<p>${words.moveQuestion}</p>`,
      fields: version,
      confirm: words.move,
    })
  if (state === 'replaced') return revoke
  if (!mayGive(key.scopes, call)) return [move, revoke]
  const rotate = confirmAction({
    action: call.href(`${path}/rotate`),
    label: words.rotate,
    of,
    question: html`<p>${words.rotateQuestion}</p>`,
    fields: [overlapField(call, words.overlap), expiryField(call, key.expiresAt === undefined ? '' : '90')],
    confirm: words.rotateConfirm,
  })
  return [rotate, move, revoke]
}
