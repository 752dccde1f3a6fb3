import type { Page, Section } from '../answer.ts'
import type { DashboardBrand } from '../brand.ts'
import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import type { DashboardPermission } from '../viewer.ts'
import { badge } from './badge.ts'

/** The sections in the order of the navigation. The first section that the viewer may see is the start page. */
export const SECTIONS: readonly { section: Section; needs: DashboardPermission }[] = [
  { section: 'overview', needs: 'webhooks.read' },
  { section: 'subscriptions', needs: 'webhooks.read' },
  { section: 'events', needs: 'events.read' },
  { section: 'keys', needs: 'keys.read' },
  { section: 'audit', needs: 'audit.read' },
]

/** Puts the page in `main`, and adds the header, the navigation, and a line that names the zone of all times. */
export function layout({ section: current, body, live = false }: Page, call: Call): Html {
  const { common } = call.texts
  const sections = SECTIONS.filter(({ needs }) => call.may(needs))
  return html`
    <div class="shell">
      <a class="skip-link" href="#main">${common.skipToContent}</a>
      <header class="masthead">
        <div class="masthead-row">
          ${call.brand !== undefined && brandIn(call.brand)}
          <nav aria-label=${common.sections}>
            <ul class="tabs">
              ${sections.map(({ section }) => html`<li><a href=${call.href(`/${section}`)} aria-current=${section === current ? 'page' : undefined}>${common.section[section]}</a></li>`)}
            </ul>
          </nav>
          <div class="masthead-aside">
            ${call.mode === 'test' && badge('warning', common.testMode, 'info')}
            ${live && html`<p class="live-state needs-script" data-live-state=${common.outOfDateSince('{time}')} data-updated=${common.updated('{time}')}></p>`}
          </div>
        </div>
      </header>
      <main id="main" tabindex="-1">${body}</main>
      <footer class="page-foot">${common.timesIn(call.timeZone)}${links(call)}</footer>
    </div>`
}

function brandIn({ name, logo, home }: DashboardBrand): Html {
  const shown = logo === undefined ? name : html`<img src=${logo} alt=${name} height="24" />`
  return home === undefined
    ? html`<span class="brand">${shown}</span>`
    : html`<a class="brand" href=${home}>${shown}</a>`
}

function links({ brand, texts: { common } }: Call): Html {
  return [
    brand?.docs !== undefined && html`<a href=${brand.docs}>${common.documentation}</a>`,
    brand?.support !== undefined && html`<a href=${brand.support}>${common.contactSupport}</a>`,
  ]
}
