import type { KeyRecord } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { auditLink } from '../../components/audit-link.ts'
import { callout } from '../../components/callout.ts'
import { card } from '../../components/card.ts'
import { copyable } from '../../components/copyable.ts'
import { type Fact, facts } from '../../components/facts.ts'
import { notice } from '../../components/notice.ts'
import { pageHead } from '../../components/page-head.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { versionCallout, versionInWords } from '../format-version.ts'
import { askedKey } from './asked-key.ts'
import { keyActions } from './key-actions.ts'
import { type KeyStanding, keyBadge, standingOf } from './key-standing.ts'
import { inWords } from './list-keys.ts'

/** Shows one key: its state, its scopes, and the number of subscriptions that depend on it. */
export async function showKey(call: Call): Promise<Page> {
  const key = await askedKey(call)
  const subscriptions = await call.callboard.keys.countSubscriptions(call.accountId, key.id)
  const standing = standingOf(key, call.engine.now())
  const actions = call.may('keys.write') ? keyActions(call, key, { standing, subscriptions }) : undefined
  return {
    title: key.name,
    section: 'keys',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(visibleText(key.name), {
          up: { text: 'API keys', href: call.href('/keys') },
          badge: keyBadge(standing),
          lead: inWords(key.scopes),
          actions,
        })}
        ${notice(call, { revoked: 'API key revoked. It no longer works.', moved: 'Format version changed.' })}
        ${standing === 'active' && versionCallout(key.apiVersion, HOW_TO_MOVE, call)}
        ${ending(call, key, standing)}
        ${card(
          { title: 'About' },
          facts([
            ['Active subscriptions', String(subscriptions)],
            ['Mode', key.mode],
            ['Format version', versionInWords(key.apiVersion, call)],
            ['Last used', key.lastUsedAt === undefined ? 'Never' : time(key.lastUsedAt, { as: 'both' })],
            ['Created', time(key.createdAt, { as: 'full' })],
            endOf(key, standing),
            auditLink(call, key.id),
            ['ID', copyable(key.id, 'key ID')],
          ]),
        )}
      </section>`,
  }
}

function endOf({ revokedAt, expiresAt }: KeyRecord, standing: KeyStanding): Fact {
  if (revokedAt !== undefined) return ['Revoked', time(revokedAt, { as: 'full' })]
  const end = expiresAt === undefined ? 'Never' : time(expiresAt, { as: 'both' })
  return [standing === 'expired' ? 'Expired' : 'Expires', end]
}

const HOW_TO_MOVE = 'Change the version of this key once the program that uses it understands the new one.'

/** Explains why a key stops working or has stopped, and what to do next. */
function ending(call: Call, { successorId, expiresAt }: KeyRecord, standing: KeyStanding): Html {
  const successor = successorId && html`<a class="button" href=${call.href(`/keys/${successorId}`)}>View new key</a>`
  if (standing === 'replaced')
    return callout('warning', {
      title: [
        'Rotated. Switch to the new key: this one works until ',
        expiresAt && time(expiresAt, { as: 'full' }),
        '.',
      ],
      body: 'Its subscriptions already use the new key, so deliveries are not interrupted.',
      actions: successor,
    })
  if (standing === 'active') return undefined
  const title = standing === 'revoked' ? 'Revoked. This key no longer works.' : 'Expired. This key no longer works.'
  const body =
    successorId === undefined
      ? 'Its subscriptions are disabled. Give the tool another key and turn its automations on again: deliveries resume from then on.'
      : 'The new key has taken over its subscriptions.'
  return callout('neutral', { title, body, actions: successor })
}
