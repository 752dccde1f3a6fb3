import type { Page, Section } from '../answer.ts'
import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import type { DashboardPermission } from '../viewer.ts'

const SECTIONS: readonly { section: Section; name: string; needs: DashboardPermission }[] = [
  { section: 'subscriptions', name: 'Subscriptions', needs: 'webhooks.read' },
  { section: 'events', name: 'Events', needs: 'events.read' },
  { section: 'keys', name: 'API keys', needs: 'keys.read' },
]

/** Header, navigation, and the page in `main`. */
export function layout({ section, body }: Page, call: Call): Html {
  const sections = SECTIONS.filter(({ needs }) => call.may(needs))
  return html`
    <div class="shell">
      <a class="skip-link" href="#main">Skip to content</a>
      <header class="masthead">
        <nav aria-label="Sections">
          <ul class="tabs">
            ${sections.map(
              (entry) => html`
                <li>
                  <a href=${call.href(`/${entry.section}`)} aria-current=${entry.section === section ? 'page' : undefined}>
                    ${entry.name}
                  </a>
                </li>`,
            )}
          </ul>
        </nav>
        ${call.mode === 'test' ? html`<span class="badge badge-test">Test mode</span>` : undefined}
      </header>
      <main id="main" tabindex="-1">${body}</main>
    </div>`
}
