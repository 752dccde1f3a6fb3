import { describe, expect, it } from 'vitest'
import { attemptDeliveries } from '../../../../test/attempt-deliveries.ts'
import { openDashboard } from '../../../../test/dashboard-world.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }

async function world(more: { personalData?: boolean } = {}) {
  const opened = await openDashboard()
  const subscription = await opened.callboard.subscriptions.create({ accountId: 'acme', ...INPUT, ...more })
  const page = `/subscriptions/${subscription.id}`
  const version = async (): Promise<string> =>
    /name="version" value="([^"]+)"/.exec((await opened.as().get(page)).html)?.[1] ?? ''
  return { ...opened, subscription, page, version }
}

const secretOf = (text: string): string | undefined => /whsec_[A-Za-z0-9+/=]+/.exec(text)?.[0]

describe('rotating a secret', () => {
  it('shows the new secret once, and says until when the old secret also signs', async () => {
    const { as, callboard, subscription, page, version } = await world()
    const rotated = await as().post(`${page}/rotate`, { overlap: 'hour', version: await version() })
    expect([rotated.status, rotated.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const secret = secretOf(rotated.text) ?? ''
    expect(secret).not.toBe(subscription.secret)
    const secrets = (await callboard.subscriptions.find(subscription))?.secrets ?? []
    const until = secrets[1]?.expiresAt?.toISOString() ?? 'never'
    expect(rotated.html).toContain(`datetime="${until}"`)
    const later = await as().get(page)
    expect(later.html).not.toContain(secret)
    expect(later.html).toContain(`datetime="${until}"`)
    expect(later.text).toContain('If you rotate again, that secret stops signing immediately')
  })

  it('says which headers to verify if there is no standard signature', async () => {
    const { as, callboard, publish, subscription, page } = await world()
    const delivery = `${page}/deliveries/${await publish()}`
    await attemptDeliveries(callboard)
    expect((await as().get(page)).text).toContain('npm install @callboard/signature')
    expect((await as().get(delivery)).text).toContain('webhook-signature')
    const own = { type: 'hmac', header: 'X-Acme-Signature', over: 'body', encoding: 'base64' } as const
    for (const [format, header] of [
      [own, 'X-Acme-Signature'],
      ['svix', 'svix-signature'],
    ] as const) {
      await callboard.subscriptions.setSignatures({ ...subscription, signatures: [format] })
      const { text } = await as().get(page)
      expect(text).toContain('Verify one of these headers before you trust the body.')
      expect(text.includes('is the key of an HMAC'), 'only its own HMAC has the text as its key').toBe(format === own)
      expect(text).not.toContain('npm install')
      const sent = (await as().get(delivery)).text
      expect(sent).toContain(header)
      expect(sent).not.toContain('webhook-signature')
    }
  })

  it('offers no time for the old secret if only the newest secret signs, and shows the new one again', async () => {
    const { as, callboard, subscription, page, version } = await world()
    const own = { type: 'hmac', header: 'X-Acme-Signature', over: 'body', encoding: 'hex' } as const
    const refuses = 'X-Acme-Signature is signed with the newest secret only: a receiver that verifies it refuses'
    const either = 'While both secrets sign, your receiver can verify with either.'
    await callboard.subscriptions.setSignatures({ ...subscription, signatures: [own] })
    const before = await as().get(page)
    expect(before.text).toContain(`This creates a new secret, which is shown once. ${refuses}`)
    expect([before.html.includes('<select'), before.text.includes(either)]).toEqual([false, false])
    const form = { overlap: /name="overlap" value="(\w+)"/.exec(before.html)?.[1] ?? '', version: await version() }
    const rotated = await as().post(`${page}/rotate`, form)
    expect(rotated.text).toContain('Only the new secret signs now.')
    expect(secretOf((await as().post(`${page}/rotate`, form)).text)).toBe(secretOf(rotated.text))
    expect((await as().get(page)).text).not.toContain('previous secret')

    await callboard.subscriptions.setSignatures({ ...subscription, signatures: ['standard', own] })
    const mixed = await as().get(page)
    expect(mixed.text).toContain(`which is shown once. ${either} ${refuses}`)
    expect(mixed.html).toContain('<select')
    expect((await as().post(`${page}/rotate`, { overlap: 'day', version: await version() })).text).toMatch(
      new RegExp(`The old secret also signs until [^.]*\\. ${refuses}`),
    )
    expect((await as().get(page)).text).toMatch(new RegExp(`The previous secret also signs until [^.]*\\. ${refuses}`))
  })

  it('happens once and shows the same secret if the form is posted again, so that no receiver is cut off', async () => {
    const { as, callboard, subscription, page, version } = await world()
    const form = { overlap: 'day', version: await version() }
    const both = await Promise.all([as().post(`${page}/rotate`, form), as().post(`${page}/rotate`, form)])
    const again = await as().post(`${page}/rotate`, form)
    expect(new Set([...both, again].map(({ text }) => secretOf(text))).size).toBe(1)
    const [, former] = (await callboard.subscriptions.find(subscription))?.secrets ?? []
    expect(former?.sealed).toBe(subscription.secrets[0]?.sealed)
  })

  it('requires `people.read` if the subscription receives personal data, as editing does', async () => {
    const { as, callboard, subscription, page, version } = await world({ personalData: true })
    const form = { overlap: 'none', version: await version() }
    const writer = as({ can: ['webhooks.read', 'webhooks.write', 'events.read'] })
    const shown = await writer.get(page)
    expect(shown.html).not.toContain(`${page}/rotate`)
    expect(shown.text).toContain('Ask someone who may see personal data to rotate it.')
    const refused = await writer.post(`${page}/rotate`, form)
    expect([refused.status, secretOf(refused.text)]).toEqual([403, undefined])
    expect(refused.text).toContain('You cannot rotate this secret')
    expect(await callboard.subscriptions.find(subscription)).toMatchObject({ secrets: [subscription.secrets[0]] })
    expect((await as().post(`${page}/rotate`, form)).status).toBe(200)
  })

  it('redirects a GET of the form’s URL to the page of the subscription', async () => {
    const { as, page } = await world()
    const { status, location } = await as().get(`${page}/rotate`)
    expect([status, location]).toEqual([303, `/dashboard${page}`])
  })

  it('changes nothing if the secret has been rotated since the form was shown', async () => {
    const { as, page, version } = await world()
    const old = await version()
    await as().post(`${page}/rotate`, { overlap: 'none', version: old })
    const { status, text } = await as().post(`${page}/rotate`, { overlap: 'day', version: old })
    expect([status, secretOf(text)]).toEqual([409, undefined])
    expect(text).toContain('rotate it again')
  })

  it('can end the old secret immediately, after a leak', async () => {
    const { as, callboard, subscription, page, version } = await world()
    const rotated = await as().post(`${page}/rotate`, { overlap: 'none', version: await version() })
    expect(rotated.text).toContain('Only the new secret signs now.')
    expect((await callboard.subscriptions.find(subscription))?.secrets).toHaveLength(1)
  })

  it('keeps the old secret valid only for one of the periods that the form offers', async () => {
    const { as, callboard, subscription, page, version } = await world()
    for (const form of [{ overlap: '999', version: await version() }, { overlap: 'day' }, {}])
      expect((await as().post(`${page}/rotate`, form)).status).toBe(400)
    expect(await callboard.subscriptions.find(subscription)).toMatchObject({ secrets: [subscription.secrets[0]] })
  })
})

describe('a target that refuses the signature', () => {
  it('is told that the secret is the likely cause, when it was rotated, and where to mend it', async () => {
    const { as, callboard, publish, advance, subscription, page } = await world()
    const event = await publish()
    await attemptDeliveries(callboard, {}, { outcome: 'failed', status: 401 })
    const links = [`href="/dashboard${page}#secret"`, `href="/dashboard${page}#verify"`]
    const delivery = `${page}/deliveries/${event}`
    for (const path of [page, delivery, '/overview']) {
      const { text, html } = await as().get(path)
      expect(text).toContain('The likely cause is the signing secret')
      expect(text).not.toContain('was rotated')
      for (const link of links) expect(html).toContain(link)
      expect((await as({ can: ['webhooks.read'] }).get(path)).html).not.toContain('#secret')
    }
    await callboard.subscriptions.rotateSecret({ ...subscription, by: 'account' })
    advance(20 * 60_000)
    for (const path of [page, delivery, '/overview'])
      expect((await as().get(path)).text, 'the target was not asked since').not.toContain('was rotated')
    await attemptDeliveries(callboard, {}, { outcome: 'failed', status: 401 })
    for (const path of [page, delivery, '/overview'])
      expect((await as().get(path)).text).toContain('The secret was rotated 20 minutes ago. The likely cause')
    advance(1_000)
    await callboard.subscriptions.rotateSecret({ ...subscription, by: 'account' })
    expect((await as().get(page)).text, 'the target was not asked since').not.toContain('was rotated')
    advance(8 * 86_400_000)
    expect((await as().get(page)).text).not.toContain('The secret was rotated')
  })

  it.each([
    ['zapier', 'If the receiver no longer has the secret, turn the automation off and on again in Zapier,'],
    ['other', 'If the program no longer has the secret, it can rotate it through the API.'],
  ])('is told how a subscription of the API gets a new secret: %s', async (integration, how) => {
    const { as, callboard, hook, publish } = await openDashboard()
    const { id } = await hook({ integration })
    const [retried, lost] = [await publish(), await publish()]
    await attemptDeliveries(
      callboard,
      { [lost]: { outcome: 'exhausted', status: 401 } },
      { outcome: 'failed', status: 401 },
    )
    const page = `/subscriptions/${id}`
    for (const path of [page, `${page}/deliveries/${retried}`, `${page}/deliveries/${lost}`, '/overview'])
      expect((await as().get(path)).text, path).toContain(how)
  })

  it('is recognised by a 400 that names the signature, and no other 400', async () => {
    const { as, callboard, publish, page } = await world()
    for (const [response, refused] of [
      ['{"error":"invalid signature"}', true],
      ['{"error":"no such field"}', false],
    ] as const) {
      const event = await publish()
      await attemptDeliveries(callboard, { [event]: { outcome: 'exhausted', status: 400, response } })
      for (const path of [`${page}/deliveries/${event}`, page, '/overview']) {
        const { text, html } = await as().get(path)
        const told = [text.includes('The likely cause is the signing secret'), html.includes('#verify"')]
        expect(told, path).toEqual([refused, refused])
      }
    }
  })
})
