import type { IssuedKey } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { facts } from '../../components/facts.ts'
import { pageHead } from '../../components/page-head.ts'
import { secretOnce } from '../../components/secret-once.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { scopesInWords } from './key-scopes.ts'

/** The only page that shows a key's token. */
export function tokenPage(
  call: Call,
  key: IssuedKey,
  { title, next, more }: { readonly title: string; readonly next: Html; readonly more?: Html | undefined },
): Page {
  const { common, keys: words } = call.texts
  return {
    title,
    section: 'keys',
    body: html`
      <section aria-labelledby="title">
        ${pageHead(title, { up: { text: words.title, href: call.href('/keys') } })}
        ${secretOnce(call, { title: words.one, name: words.tokenName, secret: key.token, next })}
        ${more}
        ${card(
          { title: common.about },
          facts([
            [words.name, visibleText(key.name)],
            [words.scopes, scopesInWords(key.scopes, call)],
            [common.mode, common.modes[key.mode]],
            [words.expires, key.expiresAt === undefined ? common.never : time(call, key.expiresAt, { as: 'full' })],
          ]),
        )}
        <div class="actions"><a class="button button-primary" href=${call.href(`/keys/${key.id}`)}>${common.haveCopied}</a></div>
      </section>`,
  }
}
