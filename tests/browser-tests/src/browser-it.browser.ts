import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { browserIt as it } from './browser-it.ts'
import { startChromium } from './chromium.ts'
import { type Served, serve } from './serve.ts'

const PAGE = `<!doctype html><title>Noisy</title><link rel="icon" href="data:,">
<script>alert('from a script that the policy forbids')</script><script src="/noise.js"></script>`

let served: Served
beforeAll(async () => {
  served = await serve((request) =>
    request.url.endsWith('.js')
      ? new Response(`console.info('said'); alert('asked'); throw new Error('thrown')`)
      : new Response(PAGE, {
          headers: {
            'content-type': 'text/html',
            'content-security-policy': "default-src 'none'; script-src 'self'; img-src data:",
          },
        }),
  )
})
afterAll(() => served?.stop())

describe('a test in a browser', () => {
  it('collects a page’s console messages, dialogs, errors and policy violations', async ({ page, complaints }) => {
    await page.goto(served.origin)
    await expect.poll(() => complaints.length, { timeout: 30_000 }).toBe(4)
    expect(complaints.splice(0).sort()).toEqual([
      'alert: asked',
      expect.stringMatching(/^error: Error: thrown/),
      expect.stringMatching(/^error: Executing inline script violates .*Content Security Policy/),
      expect.stringMatching(/^info: said/),
    ])
  })

  it.fails('fails when a page has complained and the test has ignored the complaint', async ({ page }) => {
    await page.goto(served.origin)
  })

  it('says which setting is wrong if it finds no browser', async () => {
    vi.stubEnv('PATH', '/nowhere')
    vi.stubEnv('CHROMIUM', '/nowhere/chromium')
    try {
      await expect(async () => startChromium()).rejects.toThrow(
        'CHROMIUM is /nowhere/chromium, which is not an executable',
      )
    } finally {
      vi.unstubAllEnvs()
    }
  })
})
