import type { Page, Section } from '../answer.ts'
import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import type { DashboardPermission } from '../viewer.ts'
import { badge } from './badge.ts'

const SECTIONS: readonly { section: Section; name: string; needs: DashboardPermission }[] = [
  { section: 'subscriptions', name: 'Subscriptions', needs: 'webhooks.read' },
  { section: 'events', name: 'Events', needs: 'events.read' },
  { section: 'keys', name: 'API keys', needs: 'keys.read' },
  { section: 'audit', name: 'Audit trail', needs: 'audit.read' },
]

/** Puts the page in `main`, and adds the header and the navigation. */
export function layout({ section, body, live = false }: Page, call: Call): Html {
  const sections = SECTIONS.filter(({ needs }) => call.may(needs))
  return html`
    <div class="shell">
      <a class="skip-link" href="#main">Skip to content</a>
      <header class="masthead">
        <div class="masthead-row">
          <nav aria-label="Sections">
            <ul class="tabs">
              ${sections.map((entry) => html`<li><a href=${call.href(`/${entry.section}`)} aria-current=${entry.section === section ? 'page' : undefined}>${entry.name}</a></li>`)}
            </ul>
          </nav>
          <div class="masthead-aside">
            ${call.mode === 'test' && badge('warning', html`<span>Test<span class="wide-only"> mode</span></span>`, 'info')}
            ${live && html`<p class="live-state needs-script" role="status" data-live-state>Live</p>`}
          </div>
        </div>
      </header>
      <main id="main" tabindex="-1">${body}</main>
    </div>`
}
