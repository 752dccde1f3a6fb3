import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startChromium } from './chromium.ts'
import { watchContext } from './watch-context.ts'

/**
 * The timeout of an action. Our pages respond in milliseconds, or in seconds on a busy machine, so an action that takes
 * this long will never finish.
 */
const LIMIT_MS = 60_000

/**
 * Runs tests in a real browser, with one process per file. `page` is a page in a new session, and `open` opens further
 * sessions. `complaints` collects the console messages, errors and dialogs of all pages. It must be empty when the test
 * ends, so a test that causes complaints on purpose removes them.
 */
export const browserIt = test
  .extend('browser', { scope: 'file' }, async ({ task: _task }: { task?: unknown }, { onCleanup }) => {
    const browser = await startChromium()
    onCleanup(() => browser.close())
    return browser
  })
  .extend('complaints', async ({ task: _task }: { task?: unknown }, { onCleanup }) => {
    const complaints: string[] = []
    onCleanup(() => expect(complaints, 'complaints of the pages').toEqual([]))
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
