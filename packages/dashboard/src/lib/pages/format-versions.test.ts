import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { attemptDeliveries } from '../../../test/attempt-deliveries.ts'
import { openDashboard } from '../../../test/dashboard-world.ts'

const CURRENT = '2026-10-01'
const APRIL = '2026-04-01'
const ENDED = '2026-01-01'
const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
const OWNER = { accountId: 'acme' } as const

/** A dashboard whose catalogue has a deprecated version and one that has ended. */
const open = () => openDashboard({ versions: true })

/** Pins a subscription and a key to a version that has ended, as if they had been pinned to it before it ended. */
async function openWithEnded() {
  const world = await open()
  const subscription = await world.callboard.subscriptions.create({ ...OWNER, ...INPUT, apiVersion: APRIL })
  const key = await world.callboard.keys.issue({ ...OWNER, name: 'old', scopes: ['webhooks.read'], apiVersion: APRIL })
  const about = { accountId: undefined, mode: undefined, objectId: undefined, details: {} }
  const entry = { actor: { type: 'platform', id: undefined }, action: 'versions.moved', ...about } as const
  await engineOf(world.callboard).store.versions.moveVersion(APRIL, ENDED, entry)
  return { ...world, subscription, key }
}

describe('a dashboard with one format version', () => {
  it('offers no choice of version in its forms, and shows no version in the list of subscriptions', async () => {
    const { as, callboard } = await openDashboard()
    const { id } = await callboard.subscriptions.create({ ...OWNER, ...INPUT })
    for (const path of ['/subscriptions/new', `/subscriptions/${id}/edit`, '/keys/new'])
      expect((await as().get(path)).html).not.toContain('name="apiVersion"')
    expect((await as().get('/subscriptions')).text).not.toContain(CURRENT)
    expect((await as().get(`/subscriptions/${id}`)).text).toContain(`Format version ${CURRENT}`)
  })
})

describe('a subscription in a deprecated version', () => {
  it('is marked in the list, and its page says until when it works and what to do', async () => {
    const { as, callboard } = await open()
    const { id } = await callboard.subscriptions.create({ ...OWNER, ...INPUT, apiVersion: APRIL })
    expect((await as().get('/subscriptions')).text).toContain(`${APRIL} (deprecated)`)
    const { text, html } = await as().get(`/subscriptions/${id}`)
    expect(text).toContain(`Format version ${APRIL} is deprecated.`)
    expect(text).toMatch(/It may end on .*2027.* Edit the subscription to move it to another version/)
    expect(html).toContain('href="https://example.com/changes"')
  })

  it('can be moved only by its integration, if an integration created it', async () => {
    const { as, callboard, hook } = await open()
    const { id } = await hook()
    await callboard.subscriptions.setApiVersion({ ...OWNER, mode: 'live', id, apiVersion: APRIL, by: 'platform' })
    expect((await as().get(`/subscriptions/${id}`)).text).toContain(
      'The integration that manages the subscription can move it',
    )
  })

  it('shows the event types and samples of that version in its form', async () => {
    const { as, callboard } = await open()
    const { id } = await callboard.subscriptions.create({ ...OWNER, ...INPUT, apiVersion: APRIL })
    const { html, text } = await as().get(`/subscriptions/${id}/edit`)
    expect(html).toContain(`<option value="${APRIL}" selected`)
    expect(html).not.toContain('value="event.published"')
    expect(text).toContain('contact')
  })
})

describe('a subscription in a version that has ended', () => {
  it('says which version it gets instead', async () => {
    const { as, subscription } = await openWithEnded()
    const { text } = await as().get(`/subscriptions/${subscription.id}`)
    expect(text).toContain(`Format version ${ENDED} has ended.`)
    expect(text).toContain(`Events have the format of version ${APRIL} instead.`)
    expect((await as().get('/subscriptions')).text).toContain(`${ENDED} (ended; gets ${APRIL})`)
  })

  it('keeps the ended version if the form is saved without choosing another one', async () => {
    const { as, callboard, subscription } = await openWithEnded()
    await as().post(`/subscriptions/${subscription.id}/edit`, INPUT)
    const ref = { ...OWNER, mode: 'live', id: subscription.id } as const
    expect(await callboard.subscriptions.find(ref)).toMatchObject({ apiVersion: ENDED })
  })
})

describe('the forms of a subscription', () => {
  it('set the version of a new subscription, and change the version of an existing one', async () => {
    const { as, callboard } = await open()
    await as().post('/subscriptions/new', { ...INPUT, apiVersion: APRIL, once: 'a' })
    const [created] = await callboard.subscriptions.list(OWNER)
    expect(created).toMatchObject({ apiVersion: APRIL })
    const types = { eventTypes: ['order.paid', 'event.published'] }
    await as().post(`/subscriptions/${created?.id}/edit`, { ...INPUT, ...types, apiVersion: CURRENT })
    expect(await callboard.subscriptions.list(OWNER)).toMatchObject([{ apiVersion: CURRENT, ...types }])
  })

  it('refuse event types that the chosen version lacks, and keep what was entered', async () => {
    const { as, callboard } = await open()
    const form = { ...INPUT, eventTypes: ['event.published'], apiVersion: APRIL, once: 'a' }
    const { status, text, html } = await as().post('/subscriptions/new', form)
    expect([status, text]).toEqual([400, expect.stringContaining('not in this format version')])
    expect(html).toContain(`<option value="${APRIL}" selected`)
    expect(await callboard.subscriptions.list(OWNER)).toEqual([])
  })

  it('refuse to move to a version that lacks an event type of the subscription', async () => {
    const { as, callboard } = await open()
    const { id } = await callboard.subscriptions.create({ ...OWNER, ...INPUT, eventTypes: ['event.published'] })
    const moved = { ...INPUT, eventTypes: ['event.published'], apiVersion: APRIL }
    expect((await as().post(`/subscriptions/${id}/edit`, moved)).status).toBe(400)
    expect(await callboard.subscriptions.list(OWNER)).toMatchObject([{ apiVersion: CURRENT }])
  })

  it('refuse a version that is not offered', async () => {
    const { as } = await open()
    const { status, text } = await as().post('/subscriptions/new', { ...INPUT, apiVersion: ENDED, once: 'a' })
    expect([status, text]).toEqual([400, expect.stringContaining('This format version is no longer offered.')])
  })
})

describe('a key', () => {
  it('shows its version, which can be chosen and changed', async () => {
    const { as, callboard } = await open()
    await as().post('/keys/new', { name: 'old', scopes: ['webhooks.read'], apiVersion: APRIL })
    const [key] = (await callboard.keys.list({ accountId: 'acme' })).keys
    expect(key).toMatchObject({ apiVersion: APRIL })
    const page = `/keys/${key?.id}`
    const { text } = await as().get(page)
    expect(text).toContain(`Format version ${APRIL} is deprecated.`)
    const { location } = await as().post(`${page}/version`, { apiVersion: CURRENT })
    expect(location).toBe(`/dashboard${page}?done=moved`)
    expect(await callboard.keys.find({ accountId: 'acme', id: key?.id ?? '' })).toMatchObject({ apiVersion: CURRENT })
    expect((await as().get(`${page}?done=moved`)).text).toContain('Format version changed.')
  })

  it('can be moved only with the permission to write keys', async () => {
    const { as, key } = await openWithEnded()
    const { status } = await as({ can: ['keys.read'] }).post(`/keys/${key.id}/version`, { apiVersion: CURRENT })
    expect(status).toBe(403)
    expect((await as({ can: ['keys.read'] }).get(`/keys/${key.id}`)).html).not.toContain('name="apiVersion"')
  })
})

describe('an event', () => {
  it('is shown in two versions side by side if its address names the other version', async () => {
    const { as, publish } = await open()
    const id = await publish({ id: 'ord_7' })
    expect((await as().get(`/events/${id}`)).html).not.toContain('side-by-side')
    const { text } = await as().get(`/events/${id}?version=${APRIL}`)
    expect(text).toContain(`Stored, version ${CURRENT}`)
    expect(text).toMatch(new RegExp(`As sent in version ${APRIL}.*"contact": "ada@example.com"`))
  })

  it('shows no personal data in either version to a viewer who may not see it', async () => {
    const { as, publish } = await open()
    const id = await publish()
    const { text } = await as({ can: ['events.read'] }).get(`/events/${id}?version=${APRIL}`)
    expect(text).toContain(`As sent in version ${APRIL}`)
    expect(text).not.toContain('ada@')
  })

  it('is still shown as stored if it cannot be converted, and the platform gets the error', async () => {
    const { as, errors, publish } = await open()
    const id = await publish({ id: 'ord_bad' })
    const { status, text } = await as().get(`/events/${id}?version=${APRIL}`)
    expect(status).toBe(200)
    expect(text).toContain('This event cannot be converted to this format version.')
    expect(text).toContain('ord_bad')
    expect(text).not.toContain('cannot convert')
    expect(errors).toMatchObject([{ code: 'CONVERSION_FAILED', cause: { message: 'cannot convert' } }])
  })

  it.each([ENDED, '2025-01-01', 'x'])(
    'is shown without a comparison if its address names the version %j',
    async (version) => {
      const { as, publish } = await open()
      const { status, html } = await as().get(`/events/${await publish()}?version=${version}`)
      expect([status, html.includes('side-by-side')]).toEqual([200, false])
    },
  )
})

describe('a delivery', () => {
  it('shows its body in the version of the subscription', async () => {
    const world = await open()
    const { id } = await world.callboard.subscriptions.create({
      ...OWNER,
      ...INPUT,
      apiVersion: APRIL,
      personalData: true,
    })
    const event = await world.publish({ id: 'ord_7' })
    await attemptDeliveries(world.callboard)
    const { text } = await world.as().get(`/subscriptions/${id}/deliveries/${event}`)
    expect(text).toContain(`"version": "${APRIL}"`)
    expect(text).toContain('"contact": "ada@example.com"')
  })
})
