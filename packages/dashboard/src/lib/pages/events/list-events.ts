import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { emptyState } from '../../components/empty-state.ts'
import { html } from '../../html.ts'

/** The account's events, newest first. */
export async function listEvents(call: Call): Promise<Page> {
  const reader = { account: call.accountId, mode: call.mode, personalData: call.may('people.read') }
  const { events } = await call.callboard.events.page(reader)
  return {
    title: 'Events',
    section: 'events',
    live: true,
    body: html`
      <section aria-labelledby="title">
        <div class="page-head"><h1 id="title">Events</h1></div>
        ${events.length === 0 ? emptyState('No events yet', 'What happens in your account appears here.') : undefined}
      </section>`,
  }
}
