import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startChromium } from './chromium.ts'
import { watchContext } from './watch-context.ts'

/** For what hangs: a page of ours answers in milliseconds, and on a machine that is busy with others in seconds. */
const LIMIT_MS = 60_000

/**
 * Tests in a real browser: one process a file, `page` a page in a session of the test's own, `open` for further sessions, and
 * `complaints` of all of them, which must be empty when the test ends: a test that means to cause some takes them out.
 */
export const browserIt = test
  .extend('browser', { scope: 'file' }, async ({ task: _task }: { task?: unknown }, { onCleanup }) => {
    const browser = await startChromium()
    onCleanup(() => browser.close())
    return browser
  })
  .extend('complaints', async ({ task: _task }: { task?: unknown }, { onCleanup }) => {
    const complaints: string[] = []
    onCleanup(() => expect(complaints, 'what the pages complained of').toEqual([]))
    return complaints
  })
  .extend('open', async ({ browser, complaints }, { onCleanup }) => {
    const contexts: BrowserContext[] = []
    onCleanup(async () => {
      await Promise.all(contexts.map((context) => context.close()))
    })
    return async (options: BrowserContextOptions = {}): Promise<Page> => {
      const context = await browser.newContext(options)
      contexts.push(context)
      context.setDefaultTimeout(LIMIT_MS)
      watchContext(context, complaints)
      return context.newPage()
    }
  })
  .extend('page', ({ open }) => open())
