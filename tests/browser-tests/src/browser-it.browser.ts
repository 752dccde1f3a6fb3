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
  it('hears what a page says, asks, throws, and is forbidden by its policy', async ({ page, complaints }) => {
    await page.goto(served.origin)
    await expect.poll(() => complaints.length, { timeout: 30_000 }).toBe(4)
    expect(complaints.splice(0).sort()).toEqual([
      'alert: asked',
      expect.stringMatching(/^error: Error: thrown/),
      expect.stringMatching(/^error: Executing inline script violates .*Content Security Policy/),
      expect.stringMatching(/^info: said/),
    ])
  })

  it.fails('fails when a page complained and the test took no notice', async ({ page }) => {
    await page.goto(served.origin)
  })

  it('names what to install where there is no browser', async () => {
    vi.stubEnv('PATH', '/nowhere')
    vi.stubEnv('CHROMIUM', '/nowhere/chromium')
    try {
      await expect(async () => startChromium()).rejects.toThrow('CHROMIUM is /nowhere/chromium, which is no program')
    } finally {
      vi.unstubAllEnvs()
    }
  })
})
