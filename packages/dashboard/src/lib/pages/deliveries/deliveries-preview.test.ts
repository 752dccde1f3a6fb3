import { render } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { attemptDeliveries } from '../../../../test/attempt-deliveries.ts'
import { openDashboard } from '../../../../test/dashboard-world.ts'
import { createCall } from '../../create-call.ts'
import { html } from '../../html.ts'
import { english } from '../../texts/english.ts'
import { deliveriesPreview } from './deliveries-preview.ts'

it('shows a subscription’s newest deliveries, and links to all of them', async () => {
  const { callboard, hook, publish } = await openDashboard()
  const subscription = await hook()
  const call = createCall({
    callboard,
    request: new Request('https://app.example.com/dashboard'),
    requestId: 'req_1',
    viewer: { accountId: 'acme', can: ['webhooks.read'] },
    basePath: '/dashboard',
    texts: english,
  })
  const shown = async () => render(html`<div>${await deliveriesPreview(call, subscription)}</div>`)
  expect(await shown()).toContain('No deliveries yet')
  const published: string[] = []
  for (let count = 0; count < 6; count++) published.push(await publish())
  await attemptDeliveries(callboard)
  const page = await shown()
  expect(published.map((id) => page.includes(id))).toEqual([false, true, true, true, true, true])
  expect(page).toContain(`href="/dashboard/subscriptions/${subscription.id}/deliveries"`)
})
