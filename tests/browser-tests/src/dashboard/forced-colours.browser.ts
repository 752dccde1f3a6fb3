import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type Accounts, seedAccounts } from './accounts.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { signIn } from './viewers.ts'

let world: DashboardWorld
let accounts: Accounts
beforeAll(async () => {
  world = await startDashboardWorld()
  accounts = await seedAccounts(world)
  await world.rest()
})
afterAll(() => world?.stop())

/** Opens a page in the forced-colours mode of the browser. */
async function open(page: Page, path: string): Promise<Locator> {
  await signIn(page, world.origin, world.everything('harbour'))
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  await page.goto(`${world.origin}/dashboard${path}`)
  expect(await page.evaluate(() => matchMedia('(forced-colors: active)').matches)).toBe(true)
  return page.getByRole('main')
}

interface SeenBadge {
  readonly words: string
  readonly shape: string
  readonly edge: string
}

/** Reads the badges on a page. Without colours, only their words, shapes and edges tell them apart. */
async function badgesIn(main: Locator): Promise<SeenBadge[]> {
  return main.locator('.badge').evaluateAll((badges) =>
    badges.map((badge) => {
      const path = badge.querySelector('svg path')
      const { borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(badge)
      const isDrawn = path !== null && getComputedStyle(path).stroke !== backgroundColor
      const isEdged = borderTopStyle === 'solid' && borderTopColor !== backgroundColor
      return {
        words: badge.textContent?.trim() ?? '',
        shape: isDrawn ? (path.getAttribute('d') ?? '') : 'none',
        edge: isEdged ? 'seen' : 'unseen',
      }
    }),
  )
}

/** The elements that the tab key reaches, and whether each has a visible outline when it has the focus. */
async function stops(page: Page): Promise<{ readonly at: string; readonly marked: boolean }[]> {
  const found: { at: string; marked: boolean }[] = []
  const most = await page.locator('a, button, input, select, textarea, summary, [tabindex]').count()
  for (let stop = 0; stop < most; stop++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(() => {
      const focused = document.activeElement
      if (focused === null || focused === document.body) return undefined
      const ground = getComputedStyle(document.body).backgroundColor
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(focused)
      const marked = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && outlineColor !== ground
      return { at: focused.outerHTML.slice(0, 120), marked }
    })
    if (at === undefined) break
    found.push(at)
  }
  return found
}

describe('in forced colours', () => {
  it('the states of subscriptions and deliveries differ in words and shapes', async ({ page }) => {
    await world.callboard.subscriptions.disable({ ...accounts.own, by: 'account' })
    const seen = [
      ...(await badgesIn(await open(page, '/subscriptions'))),
      ...(await badgesIn(await open(page, `/subscriptions/${accounts.healthy.id}/deliveries`))),
      ...(await badgesIn(await open(page, `/subscriptions/${accounts.broken.id}/deliveries`))),
    ]
    const byWords = new Map(seen.map((badge) => [badge.words, badge]))
    expect([...byWords.keys()]).toEqual(
      expect.arrayContaining(['Active', 'Failing', 'Disabled', 'Delivered', 'Exhausted', 'Retrying']),
    )
    expect(seen.filter(({ shape, edge }) => shape === 'none' || edge === 'unseen')).toEqual([])
    const shapeOf = (words: string) => byWords.get(words)?.shape
    expect(new Set(['Active', 'Failing', 'Disabled'].map(shapeOf)).size).toBe(3)
    expect(new Set(['Delivered', 'Exhausted', 'Retrying'].map(shapeOf)).size).toBe(3)
  })

  it.for([
    ['a list', (): string => '/subscriptions'],
    ['a subscription', (): string => `/subscriptions/${accounts.own.id}`],
    ['a form', (): string => '/subscriptions/new'],
    ['a delivery', (): string => `/subscriptions/${accounts.broken.id}/deliveries/${accounts.lost}`],
  ] as const)('the focus is always visible on %s', async ([, path], { page }) => {
    await open(page, path())
    const found = await stops(page)
    expect(found.length).toBeGreaterThan(5)
    expect(found.filter(({ marked }) => !marked)).toEqual([])
  })

  it.for([
    ['Sections', (): string => '/subscriptions'],
    ['State', (): string => `/subscriptions/${accounts.broken.id}/deliveries`],
  ] as const)('the navigation %s shows the current page', async ([name, path], { page }) => {
    await open(page, path())
    const looks = await page
      .getByRole('navigation', { name })
      .getByRole('link')
      .evaluateAll((links) =>
        links.map((link) => {
          const { color, fontWeight, borderBottomColor, borderBottomStyle } = getComputedStyle(link)
          const look = [color, fontWeight, borderBottomColor, borderBottomStyle].join()
          return { look, isHere: link.hasAttribute('aria-current') }
        }),
      )
    const here = looks.filter(({ isHere }) => isHere).map(({ look }) => look)
    expect(here.length).toBe(1)
    expect(looks.filter(({ isHere }) => !isHere).map(({ look }) => look)).not.toContain(here[0])
  })

  it('in the chart, succeeded and failed attempts differ from each other and from the background', async ({ page }) => {
    const main = await open(page, `/subscriptions/${accounts.broken.id}`)
    const failed = await main
      .locator('.bar-failed')
      .first()
      .evaluate((bar) => getComputedStyle(bar).fill)
    const key = await main.locator('.key-failed').evaluate((mark) => getComputedStyle(mark, '::before').backgroundColor)
    const other = await main
      .locator('.key-delivered')
      .evaluate((mark) => getComputedStyle(mark, '::before').backgroundColor)
    expect(failed).toBe(key)
    expect(other).not.toBe(key)
  })
})
