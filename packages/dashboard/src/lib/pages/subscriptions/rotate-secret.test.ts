import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }

async function world() {
  const opened = await openDashboard()
  const made = await opened.callboard.subscriptions.create({ accountId: 'acme' }, INPUT)
  const page = `/subscriptions/${made.id}`
  const version = async (): Promise<string> =>
    /name="version" value="([^"]+)"/.exec((await opened.as().get(page)).html)?.[1] ?? ''
  return { ...opened, made, page, version }
}

const secretOf = (text: string): string | undefined => /whsec_[A-Za-z0-9+/=]+/.exec(text)?.[0]

describe('rotating a secret', () => {
  it('shows the new one once, and until when the former signs as well', async () => {
    const { as, callboard, made, page, version } = await world()
    const rotated = await as().post(`${page}/rotate`, { overlap: '1', version: await version() })
    expect([rotated.status, rotated.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const secret = secretOf(rotated.text) ?? ''
    expect(secret).not.toBe(made.secret)
    const secrets = (await callboard.subscriptions.find(made))?.secrets ?? []
    const until = secrets[1]?.expiresAt?.toISOString() ?? 'never'
    expect(rotated.html).toContain(`datetime="${until}"`)
    const later = await as().get(page)
    expect(later.html).not.toContain(secret)
    expect(later.html).toContain(`datetime="${until}"`)
    expect(later.text).toContain('stops at once if you rotate again')
  })

  it('rotates once and shows the same when the page is loaded again, so that no receiver is cut off', async () => {
    const { as, callboard, made, page, version } = await world()
    const form = { overlap: '24', version: await version() }
    const both = await Promise.all([as().post(`${page}/rotate`, form), as().post(`${page}/rotate`, form)])
    const again = await as().post(`${page}/rotate`, form)
    expect(new Set([...both, again].map(({ text }) => secretOf(text))).size).toBe(1)
    const [, former] = (await callboard.subscriptions.find(made))?.secrets ?? []
    expect(former?.sealed).toBe(made.secrets[0]?.sealed)
  })

  it('goes back to the subscription from the address of the page that shows it', async () => {
    const { as, page } = await world()
    const { status, location } = await as().get(`${page}/rotate`)
    expect([status, location]).toEqual([303, `/dashboard${page}`])
  })

  it('does nothing where the secret is another by now', async () => {
    const { as, page, version } = await world()
    const old = await version()
    await as().post(`${page}/rotate`, { overlap: '0', version: old })
    const { status, text } = await as().post(`${page}/rotate`, { overlap: '24', version: old })
    expect([status, secretOf(text)]).toEqual([409, undefined])
    expect(text).toContain('rotate it once more')
  })

  it('ends the former secret at once when it has leaked', async () => {
    const { as, callboard, made, page, version } = await world()
    const rotated = await as().post(`${page}/rotate`, { overlap: '0', version: await version() })
    expect(rotated.text).toContain('Only the new secret signs now.')
    expect((await callboard.subscriptions.find(made))?.secrets).toHaveLength(1)
  })

  it('takes no overlap but those that it offers', async () => {
    const { as, callboard, made, page, version } = await world()
    for (const form of [{ overlap: '999', version: await version() }, { overlap: '24' }, {}])
      expect((await as().post(`${page}/rotate`, form)).status).toBe(400)
    expect(await callboard.subscriptions.find(made)).toMatchObject({ secrets: [made.secrets[0]] })
  })
})
