import { afterAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { seedAccounts } from './accounts.ts'
import { startDashboardWorld } from './dashboard-world.ts'
import { inspectPage } from './inspect-page.ts'
import { createPageName } from './page-name.ts'
import { cookieOf, signIn } from './viewers.ts'
import { walk } from './walk.ts'

// The platform under test starts before the tests are collected, because each page found by following links is a test
// case.
const world = await startDashboardWorld()
afterAll(() => world.stop())
const accounts = await seedAccounts(world)
const viewer = world.everything('harbour')
const nameOf = createPageName(accounts)
// The page of every subscription is a test case. The pages below it, such as the list of its deliveries with each
// filter, are test cases for one subscription only.
const sameElsewhere = (name: string): string =>
  name.replace(/^(subscriptions)-(?:gone|slow|own|healthy)-(deliveries.*|resend.*)/, '$1-broken-$2')
const pages = await walk({
  origin: world.origin,
  from: [`/dashboard/subscriptions/${accounts.broken.id}/deliveries`],
  cookie: cookieOf(viewer),
  nameOf: (path) => sameElsewhere(nameOf(path)),
})

describe('the dashboard, explored by its links', () => {
  it('has pages for subscriptions and events', () => {
    expect([...pages.keys()]).toEqual(expect.arrayContaining(['subscriptions', 'events']))
  })

  it('has no broken links', () => {
    expect([...pages].filter(([, { status }]) => status !== 200).map(([, { path }]) => path)).toEqual([])
  })

  it.for([...pages])(
    'shows a page at %s without errors, axe violations or overflow',
    async ([name, { path }], { page, complaints }) => {
      await signIn(page, world.origin, viewer)
      const response = await page.goto(world.origin + path)
      expect(response?.status()).toBe(200)
      await inspectPage(page, name, path.includes('?') ? { widths: [360] } : {})
      expect(complaints).toEqual([])
      expect(world.errors).toEqual([])
    },
  )

  it('has no motion when the system asks for reduced motion', async ({ page }) => {
    await signIn(page, world.origin, viewer)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    for (const { path } of pages.values()) {
      if (path.includes('?')) continue
      await page.goto(world.origin + path)
      const moving = await page.evaluate(() =>
        [...document.querySelectorAll('*')].flatMap((element) =>
          [undefined, '::before', '::after'].flatMap((part) => {
            const { animationName, animationDuration, transitionDuration } = getComputedStyle(element, part)
            const lasting = [animationName === 'none' ? '0s' : animationDuration, ...transitionDuration.split(', ')]
            const longest = Math.max(...lasting.map(Number.parseFloat))
            return longest > 0.01 ? [`${element.tagName}.${element.className}${part ?? ''} ${longest} s`] : []
          }),
        ),
      )
      expect(moving, `${path}: ${moving[0]}`).toEqual([])
    }
  })
})
