import { afterAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { startDashboardWorld } from './dashboard-world.ts'
import { overflowing } from './inspect-page.ts'
import { createPageName } from './page-name.ts'
import { HOSTILE_INTEGRATIONS, seedStrangers } from './strangers.ts'
import { suspiciousElements } from './suspicious-elements.ts'
import { cookieOf, signIn } from './viewers.ts'
import { walk } from './walk.ts'

const world = await startDashboardWorld({ integrations: HOSTILE_INTEGRATIONS })
afterAll(() => world.stop())
const subscriptions = await seedStrangers(world)
const viewer = world.everything('hostile')
const nameOf = createPageName(Object.fromEntries(subscriptions.map(({ id }, index) => [`hostile${index}`, id])))
// The pages below a single subscription already contain all hostile strings, so these pages are visited for one
// subscription only.
const pages = await walk({
  origin: world.origin,
  from: [`/dashboard/subscriptions/${subscriptions[0]?.id}/deliveries`],
  cookie: cookieOf(viewer),
  nameOf: (path) => nameOf(path).replace(/(hostile)\d+(-.+)/, '$1$2'),
})

describe('hostile text', () => {
  it('is shown on the pages as text', () => {
    const texts = [...pages.values()].map(({ text }) => text)
    expect(texts.some((text) => text.includes('&lt;script>alert(1)') || text.includes('&lt;script&gt;alert(1)'))).toBe(
      true,
    )
  })

  it.for([...pages])('does nothing and breaks nothing at %s', async ([, { path }], { page, complaints }) => {
    await signIn(page, world.origin, viewer)
    await page.setViewportSize({ width: 360, height: 800 })
    expect((await page.goto(world.origin + path))?.status()).toBe(200)
    const suspicious = await suspiciousElements(page)
    expect(suspicious, suspicious.join('\n')).toEqual([])
    const wide = await overflowing(page)
    expect(wide, wide.join('\n')).toEqual([])
    expect(complaints).toEqual([])
    expect(world.errors).toEqual([])
  })
})
