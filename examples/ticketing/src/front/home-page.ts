import type { DemoKey } from '../demo-account.ts'
import { escapeHtml, pageResponse } from './page.ts'

export interface HomeOptions {
  readonly listAccounts: () => Promise<readonly { readonly id: string; readonly name: string }[]>
  readonly demoKey: DemoKey
  readonly adminToken: string
  /** The location of the platform's data. */
  readonly place: string
  readonly simulate: boolean
}

const LINKS = [
  ['/dashboard', 'Dashboard', 'What your customers see: events, webhooks, deliveries and keys.'],
  ['/reference', 'API reference', 'Every call of /v1. The demo key is filled in: try them here.'],
  ['/docs/README.md', 'Docs', 'Embed Callboard, receive deliveries, run workers.'],
] as const

/** Copies the command of the clicked button. */
const COPY = `document.addEventListener('click', async ({ target }) => {
  const command = target.closest('.command button')?.previousElementSibling
  if (command) { await navigator.clipboard.writeText(command.textContent); target.textContent = 'Copied' }
})`

/** The page at `/`: what runs here, where to go next, and two commands to copy. */
export async function homePage(origin: string, options: HomeOptions): Promise<Response> {
  const { listAccounts, demoKey, adminToken, place, simulate } = options
  const accounts = await listAccounts()
  const commands = [
    ['List the newest events', `curl -s '${origin}/v1/events?limit=5' -H 'Authorization: Bearer ${demoKey.key}'`],
    ['Sell a ticket', `curl -s -X POST ${origin}/demo/orders -H 'Authorization: Bearer ${adminToken}'`],
  ] as const
  return pageResponse({
    title: 'Ticketing platform · Callboard',
    body: `<main>
<h1>A ticketing platform, with Callboard in it</h1>
<p>This process is an example platform: a shop that sells tickets, the API at <code>/v1</code>, a dashboard for the
shop’s customers, and a worker that delivers events. ${
      simulate
        ? 'It sells a few tickets a minute on its own, and three automations have subscribed; one fails on purpose.'
        : 'It sells tickets only when you ask it to.'
    }</p>
<ul class="tiles">${LINKS.map(
      ([href, name, text]) => `<li><a href="${href}"><strong>${name}</strong>${text}</a></li>`,
    ).join('')}</ul>
<h2>Try the API</h2>
${commands
  .map(
    ([name, command]) => `<p>${name}:</p>
<div class="command"><pre>${escapeHtml(command)}</pre><button type="button">Copy</button></div>`,
  )
  .join('\n')}
<p>To see deliveries arrive and be verified, run <code>npm run demo:receiver</code> in another terminal.</p>
<h2>Accounts</h2>
<p>An account is a customer of the platform. The dashboard and the key above belong to the first one.</p>
<table><tr><th>id</th><th>name</th></tr>${accounts
      .map(({ id, name }) => `<tr><td><code>${escapeHtml(id)}</code></td><td>${escapeHtml(name)}</td></tr>`)
      .join('')}</table>
<p class="quiet">Database: ${escapeHtml(place)}.</p>
</main><script>${COPY}</script>`,
  })
}
