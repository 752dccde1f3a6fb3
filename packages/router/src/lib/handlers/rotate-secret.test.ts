import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { createPlatform, problemIn, SUBSCRIPTION } from '../../../test/platform.ts'

const SUBSCRIPTIONS = '/v1/webhooks/subscriptions'

const withSubscription = async (options?: Parameters<typeof createPlatform>[0]) => {
  const platform = await createPlatform(options)
  const { ask, issue } = platform
  const { token } = await issue()
  const created = await (await ask(SUBSCRIPTIONS, { method: 'POST', token, json: SUBSCRIPTION })).json()
  const { id } = created
  const version = async () => (await (await ask(`${SUBSCRIPTIONS}/${id}`, { token })).json()).secretVersion
  const rotate = (json: unknown, { key = token, of = id } = {}) =>
    ask(`${SUBSCRIPTIONS}/${of}/rotate-secret`, { method: 'POST', token: key, json })
  return { ...platform, created, id, rotate, token, version }
}

describe('POST /v1/webhooks/subscriptions/:id/rotate-secret', () => {
  it('returns the new secret and its version, and makes the caller the confirming key', async () => {
    const { callboard, created, id, issue, rotate, version } = await withSubscription()
    const other = await issue(['webhooks.write'])
    const response = await rotate({ secretVersion: await version(), overlapSeconds: 60 }, { key: other.token })
    expect(response.status).toBe(200)
    const body = await response.json()
    expect(body).toEqual({ id, secret: expect.stringMatching(/^whsec_/), secretVersion: await version() })
    expect(body.secret).not.toBe(created.secret)
    const found = await callboard.subscriptions.find({ accountId: 'acc_1', id })
    expect(found).toMatchObject({ confirmedBy: other.id, secrets: [{}, { expiresAt: expect.any(Date) }] })
    const { entries } = await callboard.audit.list({ objectId: id })
    const details = { overlapMs: 60_000, key: other.id }
    expect(entries[0]).toMatchObject({ action: 'secret.rotated', actor: { type: 'key', id: other.id }, details })
  })

  it('returns the current secret when the call is repeated while the old one signs, and changes nothing', async () => {
    const { callboard, clock, id, rotate, version } = await withSubscription()
    const first = { secretVersion: await version() }
    const bodies = [await (await rotate(first)).json(), await (await rotate(first)).json()]
    expect(bodies[0]).toEqual(bodies[1])
    expect((await callboard.audit.list({ objectId: id })).entries).toHaveLength(2)
    clock.now += 86_400_000
    const response = await rotate(first)
    expect([response.status, (await problemIn(response)).errorCode]).toEqual([409, 'SECRET_ROTATED'])
  })

  it('rotates exactly once for several calls that race', async () => {
    const { callboard, id, rotate, version } = await withSubscription()
    const json = { secretVersion: await version() }
    const responses = await Promise.all(Array.from({ length: 5 }, () => rotate(json)))
    const secrets = await Promise.all(responses.map(async (response) => (await response.json()).secret))
    expect(new Set(secrets).size).toBe(1)
    expect((await callboard.audit.list({ objectId: id })).entries).toHaveLength(2)
  })

  it('answers 409 for a stale version, so that no live secret stops signing', async () => {
    const { created, rotate, version } = await withSubscription()
    const first = await version()
    const second = (await (await rotate({ secretVersion: first })).json()).secretVersion
    await rotate({ secretVersion: second })
    const now = await version()
    for (const secretVersion of [first, 'x', '', created.secret]) {
      const response = await rotate({ secretVersion })
      expect([response.status, (await problemIn(response)).errorCode]).toEqual([409, 'SECRET_ROTATED'])
    }
    expect(await version()).toBe(now)
  })

  it.each<[string, object]>([
    ['secretVersion', { secretVersion: undefined }],
    ['secretVersion', { secretVersion: 7 }],
    ['overlapSeconds', { overlapSeconds: -1 }],
    ['overlapSeconds', { overlapSeconds: 604_801 }],
    ['overlapSeconds', { overlapSeconds: 1.5 }],
    ['overlapSeconds', { overlapSeconds: '60' }],
    ['overlapSeconds', { overlapSeconds: null }],
  ])('answers 400 and names the field %s when the body has %j', async (field, change) => {
    const { rotate, version } = await withSubscription()
    const secretVersion = await version()
    const response = await rotate({ secretVersion, ...change })
    expect([response.status, (await problemIn(response)).issues?.map(({ path }) => path)]).toEqual([400, [field]])
    expect(await version()).toBe(secretVersion)
  })

  it('counts as a change of the account', async () => {
    const { rotate, version } = await withSubscription({ maxChangesPerMinute: 1 })
    expect((await rotate({ secretVersion: await version() })).status).toBe(429)
  })

  it('answers 404 for a subscription that is unknown, of another account or mode, or from the dashboard', async () => {
    const { callboard, issue, rotate } = await withSubscription()
    const json = { secretVersion: 'x' }
    await callboard.accounts.create({ id: 'acc_2', name: 'Pier Stage' })
    for (const key of [await issue(undefined, 'test'), await issue(undefined, 'live', 'acc_2')])
      expect((await rotate(json, { key: key.token })).status).toBe(404)
    const own = await callboard.subscriptions.create({ accountId: 'acc_1', ...SUBSCRIPTION, integration: 'other' })
    for (const of of [own.id, createId('sub'), 'x', '%00']) expect((await rotate(json, { of })).status).toBe(404)
  })

  it('needs the scope webhooks.write', async () => {
    const { issue, rotate } = await withSubscription()
    const { token } = await issue(['webhooks.read', 'people.read'])
    expect((await rotate({ secretVersion: 'x' }, { key: token })).status).toBe(403)
  })
})
