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
import { inWords } from './list-keys.ts'

/** The only page that shows a key's token. */
export function tokenPage(
  call: Call,
  key: IssuedKey,
  { title, next, more }: { readonly title: string; readonly next: Html; readonly more?: Html | undefined },
): Page {
  return {
    title,
    section: 'keys',
    body: html`
      <section aria-labelledby="title">
        ${pageHead(title, { up: { text: 'API keys', href: call.href('/keys') } })}
        ${secretOnce({ name: 'API key', secret: key.token, next })}
        ${more}
        ${card(
          { title: 'About' },
          facts([
            ['Name', visibleText(key.name)],
            ['Scopes', inWords(key.scopes)],
            ['Mode', key.mode],
            ['Expires', key.expiresAt === undefined ? 'Never' : time(key.expiresAt, { as: 'full' })],
          ]),
        )}
        <div class="actions"><a class="button button-primary" href=${call.href(`/keys/${key.id}`)}>I have copied it</a></div>
      </section>`,
  }
}
