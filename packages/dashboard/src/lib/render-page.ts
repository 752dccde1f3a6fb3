import { render } from 'preact-render-to-string'
import type { Page } from './answer.ts'
import { ASSETS } from './assets/create-assets.ts'
import type { Call } from './call.ts'
import { layout } from './components/layout.ts'
import { plainText } from './components/visible-text.ts'
import { html } from './html.ts'

/**
 * Renders the whole HTML document of a page. The dashboard's script reads the language and the time zone from the
 * attributes `lang` and `data-zone` of the `html` element, and its own texts from other `data-` attributes.
 */
export function renderPage(page: Page, call: Call): string {
  const { language, common } = call.texts
  const document = html`
    <html lang=${language} dir=${directionOf(language)} data-zone=${call.timeZone} data-zone-cookie=${call.zoneCookie}>
      <head>
        <meta charset="utf-8" />
        <title>${plainText(page.title)} · ${call.brand?.name ?? common.product}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href=${call.href(ASSETS.style)} />
        <link rel="stylesheet" href=${call.href(ASSETS.theme)} />
        <script type="module" src=${call.href(ASSETS.script)}></script>
      </head>
      <body data-copied=${common.copied} data-copy-failed=${common.copyFailed}>${layout(page, call)}</body>
    </html>`
  return `<!doctype html>${render(document)}`
}

/** The writing systems (ISO 15924) that run from right to left. */
const RIGHT_TO_LEFT = /^(?:Adlm|Arab|Hebr|Mand|Mend|Nkoo|Rohg|Samr|Syrc|Thaa)$/

function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.test(new Intl.Locale(language).maximize().script ?? '') ? 'rtl' : 'ltr'
}
