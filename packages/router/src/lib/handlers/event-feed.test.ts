import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createPlatform, problemIn } from '../../../test/platform.ts'
import { eventSchemas } from '../schemas/event-schemas.ts'

const page = z.object({
  data: z.array(z.looseObject({ id: z.string(), version: z.string() })),
  nextCursor: z.string(),
  hasMore: z.boolean(),
  truncated: z.boolean(),
})

const pageIn = async (response: Response): Promise<z.infer<typeof page>> => {
  expect(response.status).toBe(200)
  const body = await response.json()
  eventSchemas['EventFeed']!.parse(body)
  return page.parse(body)
}

async function open() {
  const platform = await createPlatform()
  const { token } = await platform.issue(['webhooks.read'])
  const sequence = () => engineOf(platform.callboard).store.deliveries.sequence(100)
  const publish = async (count: number): Promise<string[]> => {
    const ids: string[] = []
    for (let index = 0; index < count; index++) ids.push(await platform.publishOrder(`ord_${index}`))
    await sequence()
    return ids
  }
  const read = async (query: Record<string, string> = {}, key = token) =>
    pageIn(await platform.ask(`/v1/events/feed?${new URLSearchParams(query)}`, { token: key }))
  const refusal = async (query: string, key = token) => {
    const problem = await problemIn(await platform.ask(`/v1/events/feed?${query}`, { token: key }))
    expect(problem.errorCode).toBe('VALIDATION_FAILED')
    return problem.issues?.map(({ path }) => path)
  }
  return { ...platform, token, sequence, publish, read, refusal }
}

const LONG_AGO = '2020-01-01T00:00:00Z'

describe('GET /v1/events/feed', () => {
  it('starts now, and then returns each event once, oldest first', async () => {
    const { publish, read } = await open()
    await publish(2)
    const start = await read()
    expect(start).toMatchObject({ data: [], hasMore: false, truncated: false })

    const ids = await publish(5)
    const seen: string[] = []
    let after = start.nextCursor
    for (let more = true; more; ) {
      const { data, nextCursor, hasMore } = await read({ after, limit: '2' })
      seen.push(...data.map(({ id }) => id))
      after = nextCursor
      more = hasMore
    }
    expect(seen).toEqual(ids)
    expect(await read({ after })).toEqual({ data: [], nextCursor: after, hasMore: false, truncated: false })
  })

  it('returns the same bytes for an event as GET /v1/events', async () => {
    const { ask, issue, publish, token } = await open()
    await publish(1)
    const { token: open_ } = await issue(['webhooks.read', 'people.read'])
    for (const key of [token, open_]) {
      const [list, feed] = await Promise.all(
        ['/v1/events', `/v1/events/feed?since=${LONG_AGO}`].map(async (path) =>
          (await ask(path, { token: key })).text(),
        ),
      )
      const event = /^\{"data":\[(.*)\],"nextCursor"/.exec(list ?? '')?.[1]
      expect(event).toContain('"id"')
      expect(feed?.startsWith(`{"data":[${event}],"nextCursor":"`)).toBe(true)
    }
  })

  it('starts at a time, and returns only events of the given types', async () => {
    const { publish, publishCheckIn, read, sequence } = await open()
    const [paid] = await publish(1)
    const checkedIn = await publishCheckIn('att_1')
    await sequence()
    const idsOf = async (query: Record<string, string>) => (await read(query)).data.map(({ id }) => id)
    expect(await idsOf({ since: LONG_AGO })).toEqual([paid, checkedIn])
    expect(await idsOf({ since: LONG_AGO, types: 'attendee.checked_in' })).toEqual([checkedIn])
    expect(await idsOf({ since: LONG_AGO, types: 'attendee.checked_in,order.paid,order.paid' })).toEqual([
      paid,
      checkedIn,
    ])
    expect(await idsOf({ since: '2020-01-01T01:00:00.5+01:00' })).toEqual([paid, checkedIn])
  })

  it.each([
    ['an empty after', 'after=', 'after'],
    ['a repeated limit', 'limit=1&limit=2', 'limit'],
    ['a cursor', 'cursor=abc', 'cursor'],
    ['a type', 'type=order.paid', 'type'],
    ['a limit of 0', 'limit=0', 'limit'],
    ['a limit of 101', 'limit=101', 'limit'],
    ['a negative wait', 'wait=-1', 'wait'],
    ['half a second of wait', 'wait=1.5', 'wait'],
    ['a wait of 31', 'wait=31', 'wait'],
    ['an unknown type', 'types=order.paid,order.eaten', 'types'],
    ['an empty name among the types', 'types=order.paid,', 'types'],
    ['a time without its offset', 'since=2026-10-01T08:00:00', 'since'],
    ['a day that does not exist', 'since=2026-02-30T08:00:00Z', 'since'],
    ['a date', 'since=2026-10-01', 'since'],
    ['a time in the year 0', 'since=0000-10-01T08:00:00Z', 'since'],
    ['a cursor of nothing', 'after=AAAA', 'after'],
  ])('refuses %s', async (_what, query, path) => {
    const { refusal } = await open()
    expect(await refusal(query)).toEqual([path])
  })

  it('accepts a wait of 0 to 30 whole seconds, although events are there already', async () => {
    const { publish, read } = await open()
    await publish(1)
    for (const wait of ['0', '30']) expect((await read({ since: LONG_AGO, wait })).data).toHaveLength(1)
  })

  it('refuses after and since together', async () => {
    const { read, refusal } = await open()
    const { nextCursor } = await read()
    expect(await refusal(`after=${nextCursor}&since=${LONG_AGO}`)).toEqual(['since'])
  })

  it('names the unknown type, and all that is wrong', async () => {
    const { ask, token } = await open()
    const problem = await problemIn(await ask('/v1/events/feed?types=order.eaten&wait=31&since=x', { token }))
    expect(problem.message).toContain('order.eaten')
    expect(problem.issues?.map(({ path }) => path)).toEqual(['types', 'wait', 'since'])
  })

  it('refuses more than 50 types', async () => {
    const { refusal } = await open()
    expect(await refusal(`types=${Array(51).fill('order.paid').join()}`)).toEqual(['types'])
  })

  it('accepts a cursor only from the same account, mode and types, in any version', async () => {
    const { callboard, issue, publish, read, refusal, token } = await open()
    await publish(1)
    const { nextCursor: after } = await read({ since: LONG_AGO, types: 'order.paid,attendee.checked_in' })
    const types = 'attendee.checked_in,order.paid'
    expect(await read({ after, types })).toMatchObject({ data: [], truncated: false })
    expect(await refusal(`after=${after}`)).toEqual(['after'])
    expect(await refusal(`after=${after}&types=order.paid`)).toEqual(['after'])
    await callboard.accounts.create({ id: 'acc_2', name: 'Other' })
    const { token: test } = await issue(['webhooks.read'], 'test')
    const { token: other } = await issue(['webhooks.read'], 'live', 'acc_2')
    for (const key of [test, other]) expect(await refusal(`after=${after}&types=${types}`, key)).toEqual(['after'])
    const last = after.at(-5) === 'A' ? 'B' : 'A'
    expect(await refusal(`after=${after.slice(0, -5)}${last}${after.slice(-4)}&types=${types}`, token)).toEqual([
      'after',
    ])
  })

  it('does not accept a cursor of GET /v1/events, nor the other way round', async () => {
    const { ask, publish, read, refusal, token } = await open()
    await publish(2)
    const { nextCursor } = await (await ask('/v1/events?limit=1', { token })).json()
    expect(await refusal(`after=${nextCursor}`)).toEqual(['after'])
    const { nextCursor: after } = await read()
    expect((await problemIn(await ask(`/v1/events?cursor=${after}`, { token }))).errorCode).toBe('VALIDATION_FAILED')
  })

  it('says truncated if retention has removed events that follow the cursor', async () => {
    const { callboard, clock, publish, read } = await open()
    const { nextCursor: after } = await read()
    await publish(2)
    clock.now += 40 * 86_400_000
    await callboard.retention.run()
    const [fresh] = await publish(1)
    expect(await read({ after })).toMatchObject({ data: [{ id: fresh }], hasMore: false, truncated: true })
  })

  it('requires webhooks.read', async () => {
    const { ask, issue } = await open()
    const { token } = await issue(['webhooks.write'])
    expect((await problemIn(await ask('/v1/events/feed', { token }))).errorCode).toBe('INSUFFICIENT_SCOPE')
  })

  it('checks the key and the scope before the query', async () => {
    const { ask, issue } = await open()
    expect((await ask('/v1/events/feed?wait=31')).status).toBe(401)
    const { token } = await issue([])
    expect((await ask('/v1/events/feed?wait=31', { token })).status).toBe(403)
  })
})
