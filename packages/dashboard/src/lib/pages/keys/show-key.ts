import type { KeyRecord } from '@callboard/core'
import { keyName } from '@callboard/core/engine'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { auditLink } from '../../components/audit-link.ts'
import { callout } from '../../components/callout.ts'
import { card } from '../../components/card.ts'
import { copyable } from '../../components/copyable.ts'
import { type Fact, facts } from '../../components/facts.ts'
import { notice } from '../../components/notice.ts'
import { number } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { versionCallout, versionInWords } from '../format-version.ts'
import { askedKey } from './asked-key.ts'
import { keyActions } from './key-actions.ts'
import { scopesInWords } from './key-scopes.ts'
import { type KeyState, keyBadge, keyStateOf } from './key-state.ts'

/** Shows one key: its state, its scopes, and the number of subscriptions that depend on it. */
export async function showKey(call: Call): Promise<Page> {
  const key = await askedKey(call)
  const subscriptions = await call.callboard.keys.countSubscriptions({ accountId: call.accountId, id: key.id })
  const state = keyStateOf(key, call.engine.now())
  const { common, formatVersions, keys: words } = call.texts
  const actions = call.may('keys.write') ? keyActions(call, key, { state, subscriptions }) : undefined
  return {
    title: keyName(key),
    section: 'keys',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(visibleText(keyName(key)), {
          up: { text: words.title, href: call.href('/keys') },
          badge: keyBadge(call, state),
          lead: scopesInWords(key.scopes, call),
          actions,
        })}
        ${notice(call, words.done)}
        ${state === 'active' && versionCallout(key.apiVersion, words.howToMove, call)}
        ${ending(call, key, state)}
        ${card(
          { title: common.about },
          facts([
            [words.activeSubscriptions, number(call, subscriptions)],
            [common.mode, common.modes[key.mode]],
            [formatVersions.title, versionInWords(key.apiVersion, call)],
            [words.lastUsed, key.lastUsedAt === undefined ? common.never : time(call, key.lastUsedAt, { as: 'both' })],
            [common.created, time(call, key.createdAt, { as: 'full' })],
            endOf(call, key, state),
            auditLink(call, key.id),
            [common.id, copyable(call, key.id, words.keyId)],
          ]),
        )}
      </section>`,
  }
}

function endOf(call: Call, { revokedAt, expiresAt }: KeyRecord, state: KeyState): Fact {
  const { common, keys } = call.texts
  if (revokedAt !== undefined) return [keys.revoked, time(call, revokedAt, { as: 'full' })]
  const end = expiresAt === undefined ? common.never : time(call, expiresAt, { as: 'both' })
  return [state === 'expired' ? keys.expired : keys.expires, end]
}

/** Explains why a key stops working or has stopped, and what to do next. */
function ending(call: Call, { successorId, expiresAt }: KeyRecord, state: KeyState): Html {
  const words = call.texts.keys
  const successor =
    successorId && html`<a class="button" href=${call.href(`/keys/${successorId}`)}>${words.viewNew}</a>`
  if (state === 'replaced')
    return callout('warning', {
      title: words.replaced.title(expiresAt && time(call, expiresAt, { as: 'full' })),
      body: words.replaced.body,
      actions: successor,
    })
  if (state === 'active') return undefined
  const { ended } = words
  const body = successorId === undefined ? ended.disabled : ended.taken
  return callout('neutral', { title: ended[state], body, actions: successor })
}
