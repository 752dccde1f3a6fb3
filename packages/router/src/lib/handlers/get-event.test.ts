import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { createPlatform, problemIn } from '../../../test/platform.ts'

const DAY_MS = 86_400_000

describe('GET /v1/events/:id', () => {
  it.each([
    ['with people.read', ['webhooks.read', 'people.read']],
    ['without people.read', ['webhooks.read']],
  ] as const)('answers the event as the list shows it to a key %s', async (_, scopes) => {
    const { ask, issue, publishOrder } = await createPlatform()
    const id = await publishOrder('ord_1')
    const { token } = await issue(scopes)
    const response = await ask(`/v1/events/${id}`, { token })
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(await (await ask('/v1/events', { token })).text()).toContain(`[${text}]`)
    expect(text.includes('Grace')).toBe(scopes.length === 2)
  })

  it.each([createId('evt'), createId('sub'), 'x', '%00', '%FF'])('answers 404 to the unknown id %s', async (id) => {
    const { ask, issue } = await createPlatform()
    const response = await ask(`/v1/events/${id}`, { token: (await issue()).token })
    expect(response.status).toBe(404)
    expect(await problemIn(response)).toMatchObject({ errorCode: 'NOT_FOUND', message: 'There is no such event.' })
  })

  it('answers 404 for an event of another account or mode, or one that is older than the list goes back', async () => {
    const { ask, callboard, clock, issue, publishOrder } = await createPlatform()
    const id = await publishOrder('ord_1')
    await callboard.accounts.create({ id: 'acc_2', name: 'Pier Stage' })
    const statusFor = async (token: string) => (await ask(`/v1/events/${id}`, { token })).status
    const { token } = await issue()
    expect(await statusFor(token)).toBe(200)
    expect(await statusFor((await issue(undefined, 'live', 'acc_2')).token)).toBe(404)
    expect(await statusFor((await issue(undefined, 'test')).token)).toBe(404)
    expect(await statusFor((await issue(['webhooks.write'])).token)).toBe(403)
    clock.now += 30 * DAY_MS
    expect(await statusFor(token)).toBe(200)
    clock.now += 1
    expect(await statusFor(token)).toBe(404)
    expect((await (await ask('/v1/events', { token })).json()).data).toEqual([])
  })
})
