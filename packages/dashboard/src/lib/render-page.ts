import { render } from 'preact-render-to-string'
import type { Page } from './answer.ts'
import { ASSETS } from './assets/create-assets.ts'
import type { Call } from './call.ts'
import { layout } from './components/layout.ts'
import { html } from './html.ts'

/** Renders the whole document. */
export function renderPage(page: Page, call: Call): string {
  const document = html`
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${page.title} · Webhooks</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href=${call.href(ASSETS.style)} />
        <link rel="stylesheet" href=${call.href(ASSETS.theme)} />
        <script type="module" src=${call.href(ASSETS.script)}></script>
      </head>
      <body>${layout(page, call)}</body>
    </html>`
  return `<!doctype html>${render(document)}`
}
