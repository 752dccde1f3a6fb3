import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../test/dashboard-world.ts'
import { createDashboard } from './create-dashboard.ts'

/** Posts a stream of unknown length as the form of a new subscription. */
async function posting(pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void) {
  const { callboard, errors } = await openDashboard()
  const { fetch } = createDashboard(callboard, {
    authorize: () => ({ accountId: 'acme', can: ['webhooks.read', 'webhooks.write'] }),
  })
  const init = {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
    body: new ReadableStream({ pull }, { highWaterMark: 0 }),
    duplex: 'half',
  }
  const response = await fetch(new Request('https://app.example.com/dashboard/subscriptions/new', init))
  const created = await callboard.subscriptions.list({ accountId: 'acme' })
  return { status: response.status, html: await response.text(), errors, created }
}

describe('the form of a request', () => {
  it('is read up to the size limit and no further, however much is sent', async () => {
    let pieces = 0
    const { status, html } = await posting((controller) => {
      controller.enqueue(new Uint8Array(16_384).fill(97))
      if (++pieces === 100) controller.close()
    })
    expect(status).toBe(400)
    expect(pieces).toBeLessThan(10)
    expect(html).toContain('The form is too large.')
  })

  it('is refused if it arrives incomplete, and no error is reported to the platform', async () => {
    const pieces = ['targetUrl=https%3A%2F%2Fhooks.example.com%2F1&eventTypes=order.paid', undefined]
    const { status, html, errors, created } = await posting((controller) => {
      const piece = pieces.shift()
      if (piece === undefined) controller.error(new Error('aborted'))
      else controller.enqueue(new TextEncoder().encode(piece))
    })
    expect(status).toBe(400)
    expect(html).toContain('The form arrived incomplete.')
    expect([errors, created]).toEqual([[], []])
  })
})
