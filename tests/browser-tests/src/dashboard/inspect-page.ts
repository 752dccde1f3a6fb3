import { mkdirSync } from 'node:fs'
import axeCore from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Defined only in the page, after axe's source has been evaluated there. */
declare const axe: typeof axeCore

/** The widths to inspect: phone, tablet and desktop. */
const WIDTHS: readonly number[] = [390, 768, 1280]
const THEMES = ['light', 'dark'] as const
const FOLDER = new URL('../../../../artifacts/dashboard/', import.meta.url).pathname

export interface InspectOptions {
  /** All three by default. */
  readonly widths?: readonly number[]
}

/** Checks a page for axe violations and overflow in both themes, and saves screenshots in `artifacts/`. */
export async function inspectPage(page: Page, name: string, { widths = WIDTHS }: InspectOptions = {}): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const before = page.viewportSize()
  const problems: string[] = []
  // The page's content security policy does not block this script, because `evaluate` uses the debugger.
  await page.evaluate(axeCore.source)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of THEMES) {
      // Reduced motion turns off transitions between the themes, because the contrast varies during a transition.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const at = `${name}-${colorScheme}-${width}`
      for (const problem of [...(await overflowing(page)), ...(await violations(page))])
        problems.push(`${at}: ${problem}`)
      await page.screenshot({ path: `${FOLDER}${at}.png`, fullPage: true, animations: 'disabled' })
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  if (before !== null) await page.setViewportSize(before)
  expect(problems, problems.join('\n')).toEqual([])
}

/**
 * If the page scrolls sideways, the elements that extend beyond its right edge. In any case, the tables that are wider
 * than their card.
 */
export async function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const tables = [...document.querySelectorAll('.data-table')].flatMap((table) => {
      const [inner = 0, outer = 0] = [table, table.parentElement].map((box) => box?.getBoundingClientRect().width)
      return inner > outer + 1 ? [`a table is ${inner} px wide in ${outer}`] : []
    })
    if (scrollWidth <= clientWidth) return tables
    const wide = [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map(({ tagName, className }) => `<${tagName.toLowerCase()} class="${String(className)}">`)
    return [...tables, `${scrollWidth} px wide in ${clientWidth}: ${[...new Set(wide)].slice(0, 5).join(' ')}`]
  })
}

async function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html }) => `${id} (${help}): ${html.slice(0, 200)}`),
    )
  })
}
