import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type ApiWorld, startApiWorld } from './api-world.ts'
import type { program as pageProgram } from './page-program.ts'

/** Defined in the page only. */
declare const program: typeof pageProgram

let world: ApiWorld
beforeAll(async () => {
  world = await startApiWorld()
  await world.sell('ord_1', 'ord_2', 'ord_3')
})
afterAll(() => world?.stop())

describe('@callboard/client in a page', () => {
  it('reads the account of its key, and then all events page by page, newest first', async ({ page }) => {
    const key = await world.key()
    await page.goto(world.pageUrl)
    expect(await page.evaluate((apiKey) => program.account(apiKey), key)).toBe('Harbour Hall')
    expect(await page.evaluate((apiKey) => program.orders(apiKey), key)).toEqual(['ord_3', 'ord_2', 'ord_1'])
    expect(await page.evaluate((apiKey) => program.pages(apiKey), key)).toEqual([2, 1])
  })

  it('creates only one subscription for two identical calls, and removes it', async ({ page }) => {
    const key = await world.key()
    await page.goto(world.pageUrl)
    const made = await page.evaluate((apiKey) => program.comeAndGo(apiKey, 'https://hooks.example.com/page'), key)
    expect(made).toEqual({ created: true, same: true })
  })

  it('throws an error whose fields say what the API refused', async ({ page, complaints }) => {
    const [reader, writer] = [await world.key(['webhooks.read']), await world.key()]
    await page.goto(world.pageUrl)
    expect(await page.evaluate((key) => program.refusal(key, 'https://hooks.example.com/1'), reader)).toMatchObject({
      code: 'INSUFFICIENT_SCOPE',
      statusCode: 403,
      path: '/api/v1/webhooks/subscriptions',
      requestId: expect.stringMatching(/^req_/),
      timestamp: expect.stringMatching(/Z$/),
    })
    expect(await page.evaluate((key) => program.refusal(key, 'http://localhost'), writer)).toMatchObject({
      code: 'VALIDATION_FAILED',
      statusCode: 400,
      issues: [{ path: 'targetUrl' }],
    })
    expect(await page.evaluate(() => program.refusal('cb_live_nobody', 'https://hooks.example.com/1'))).toMatchObject({
      code: 'UNAUTHENTICATED',
      statusCode: 401,
    })
    // Chromium itself logs each refused request. Nothing else is logged.
    await expect.poll(() => complaints.length, { timeout: 30_000 }).toBe(3)
    expect(complaints.splice(0).map((text) => /status of (\d+)/.exec(text)?.[1])).toEqual(['403', '400', '401'])
  })
})

describe('@callboard/signature in a page', () => {
  it('verifies a delivery from a worker with WebCrypto', async ({ page }) => {
    const { delivery, secret } = await world.deliver('ord_sent')
    await page.goto(world.pageUrl)
    const data = await page.evaluate(([sent, key]) => program.received(sent, key), [delivery, secret] as const)
    expect(JSON.parse(data)).toEqual({ order: { id: 'ord_sent' } })
    expect(await page.evaluate(([sent, key]) => program.verified(sent, key), [delivery, secret] as const)).toBe(
      'order.paid',
    )
  })

  it('refuses a forged body, and a body signed with another secret', async ({ page }) => {
    const { delivery, secret } = await world.deliver('ord_real')
    const { secret: another } = await world.deliver('ord_other')
    const forged = { ...delivery, body: delivery.body.replaceAll('ord_real', 'ord_fake') }
    await page.goto(world.pageUrl)
    for (const [sent, key] of [
      [forged, secret],
      [delivery, another],
    ] as const) {
      expect(await page.evaluate(([a, b]) => program.received(a, b), [sent, key] as const)).toBe('SIGNATURE_MISMATCH')
      expect(await page.evaluate(([a, b]) => program.verified(a, b), [sent, key] as const)).toBe('SIGNATURE_MISMATCH')
    }
  })

  it('signs with a secret that it generates, and reports that verifySync is unavailable', async ({ page }) => {
    const { delivery, secret } = await world.deliver('ord_sync')
    await page.goto(world.pageUrl)
    expect(await page.evaluate(() => program.signs())).toBe('order.paid')
    expect(await page.evaluate(([sent, key]) => program.atOnce(sent, key), [delivery, secret] as const)).toBe(
      'SYNC_UNAVAILABLE',
    )
  })
})
