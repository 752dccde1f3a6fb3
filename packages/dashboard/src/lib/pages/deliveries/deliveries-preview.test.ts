import { render } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'
import { tryDeliveries } from '../../../../test/try-deliveries.ts'
import { createCall } from '../../create-call.ts'
import { html } from '../../html.ts'
import { deliveriesPreview } from './deliveries-preview.ts'

it('shows the newest deliveries of a subscription, and leads to all of them', async () => {
  const { callboard, hook, publish } = await openDashboard()
  const subscription = await hook()
  const call = createCall({
    callboard,
    request: new Request('https://app.example.com/dashboard'),
    requestId: 'req_1',
    viewer: { accountId: 'acme', can: ['webhooks.read'] },
    basePath: '/dashboard',
  })
  const shown = async () => render(html`<div>${await deliveriesPreview(call, subscription)}</div>`)
  expect(await shown()).toContain('No deliveries yet')
  const published: string[] = []
  for (let made = 0; made < 6; made++) published.push(await publish())
  await tryDeliveries(callboard)
  const page = await shown()
  expect(published.map((id) => page.includes(id))).toEqual([false, true, true, true, true, true])
  expect(page).toContain(`href="/dashboard/subscriptions/${subscription.id}/deliveries"`)
})
