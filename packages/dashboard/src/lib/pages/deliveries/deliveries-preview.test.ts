import { engineOf } from '@callboard/core/engine'
import { render } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { attemptDeliveries } from '../../../../test/attempt-deliveries.ts'
import { openDashboard } from '../../../../test/dashboard-world.ts'
import { createCall } from '../../create-call.ts'
import { html } from '../../html.ts'
import { english } from '../../texts/english.ts'
import { deliveriesPreview, PREVIEWED } from './deliveries-preview.ts'
import { failingDeliveries, lastFailed } from './failing-deliveries.ts'

it('the preview shows a subscription’s newest deliveries, and links to all of them', async () => {
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
  const shown = async () => {
    const { deliveries: newest } = await callboard.deliveries.list({
      accountId: subscription.accountId,
      subscriptionId: subscription.id,
      limit: PREVIEWED,
    })
    const failed = lastFailed(await failingDeliveries(call, subscription))
    return render(html`<div>${deliveriesPreview(call, subscription, { failed, newest })}</div>`)
  }
  expect(await shown()).toContain('No deliveries yet')
  const published: string[] = []
  for (let count = 0; count < 6; count++) published.push(await publish())
  await attemptDeliveries(callboard)
  const page = await shown()
  expect(published.map((id) => page.includes(id))).toEqual([false, true, true, true, true, true])
  expect(page).toContain(`href="/dashboard/subscriptions/${subscription.id}/deliveries"`)
  // Once deliveries fail, the preview shows them instead of newer deliveries that are waiting.
  const failing = [await publish(), await publish()]
  await attemptDeliveries(callboard, { [failing[0]!]: { outcome: 'failed', status: 500 } }, { outcome: 'exhausted' })
  const waiting = await publish()
  await engineOf(callboard).store.deliveries.sequence(10)
  const failed = await shown()
  expect(failed).toContain('Failing deliveries')
  expect([...failing, waiting, published[5]!].map((id) => failed.includes(id))).toEqual([true, true, false, false])
})
