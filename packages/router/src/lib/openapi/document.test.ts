import { readFile } from 'node:fs/promises'
import { defineCatalog, defineEventType, type EventType } from '@callboard/core'
import { verify } from '@callboard/signature'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contractDocument, documentOf } from '../../../test/contract-document.ts'
import { createPlatform, SUBSCRIPTION } from '../../../test/platform.ts'
import { recordAnswers, withoutChance } from '../../../test/record-answers.ts'
import type { OpenApiDocument } from '../../index.ts'
import { createRouter } from '../router.ts'
import { routes } from '../routes.ts'

const json = async (path: string) => JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'))

/** Creates the document of a platform with these event types. */
const documentWith = (...types: EventType[]): Promise<OpenApiDocument> =>
  documentOf(defineCatalog({ version: '2026-10-01', types }))

describe('the files written by `pnpm run openapi`', () => {
  it('contain the current document', async () => {
    expect(await contractDocument()).toEqual(await json('../../../openapi.json'))
  })

  it('contain the responses of a router on the memory store as examples', async () => {
    const recorded = await json('./recorded-answers.json')
    expect(withoutChance(await recordAnswers())).toEqual(withoutChance(recorded))

    const { components, paths, webhooks } = await contractDocument()
    const shown = (object: object): unknown[] => {
      const { examples = {} } = Object(object).content?.['application/json'] ?? {}
      return Object.values(examples).map((example) => Object(example).value)
    }
    const { problems, delivery, input: _, deprecated: __, ...answers } = recorded
    const refusals = Object.values(problems).map((problem) => Object(problem).body)
    const bodies = [...Object.values(answers).map((answer) => Object(answer).body), ...refusals]
    const seen = Object.values(components.responses).flatMap(shown)
    for (const { method, path } of routes) {
      const { responses } = Object(paths[path.replace(/:(\w+)/g, '{$1}')])[method.toLowerCase()]
      for (const example of Object.values(responses).flatMap((response) => shown(Object(response)))) {
        expect(bodies).toContainEqual(example)
        seen.push(example)
      }
    }
    for (const refusal of refusals) expect(seen).toContainEqual(refusal)
    expect(shown(webhooks['order.paid']!.post!.requestBody!)[0]).toEqual(delivery.body)
  })
})

it('the example of a delivery is signed with the secret in the example of a subscription', async () => {
  const { created, delivery } = await json('./recorded-answers.json')
  const at = Number(delivery.headers['webhook-timestamp'])
  const { secret } = created.body
  const body = JSON.stringify(delivery.body)
  const verified = await verify({ headers: delivery.headers, body, secret, now: new Date(at * 1000) })
  expect(verified).toMatchObject({ id: delivery.body.id })
})

describe('operations', () => {
  it('are all in the document, each with its scope and every status that it can return', async () => {
    const { paths } = await contractDocument()
    const documented = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId, security, responses }]) => [
        `${method} ${path}`,
        operationId,
        Object.values(security[0] ?? {}).flat()[0],
        Object.keys(responses).join(' '),
      ]),
    )
    // biome-ignore format: a table
    expect(documented).toEqual([
      ['get /v1/me', 'getMe', undefined, '200 400 401 429 500 503'],
      ['get /v1/event-types', 'listEventTypes', 'webhooks.read', '200 400 401 403 429 500 503'],
      ['get /v1/events', 'listEvents', 'webhooks.read', '200 400 401 403 429 500 503'],
      ['get /v1/events/feed', 'readEventFeed', 'webhooks.read', '200 400 401 403 429 500 503'],
      ['get /v1/events/{id}', 'getEvent', 'webhooks.read', '200 400 401 403 404 429 500 503'],
      ['get /v1/webhooks/subscriptions', 'listWebhookSubscriptions', 'webhooks.read', '200 400 401 403 429 500 503'],
      ['post /v1/webhooks/subscriptions', 'createWebhookSubscription', 'webhooks.write', '200 201 400 401 403 409 413 415 429 500 503'],
      ['get /v1/webhooks/subscriptions/{id}', 'getWebhookSubscription', 'webhooks.read', '200 400 401 403 404 429 500 503'],
      ['patch /v1/webhooks/subscriptions/{id}', 'updateWebhookSubscription', 'webhooks.write', '200 400 401 403 404 409 413 415 429 500 503'],
      ['delete /v1/webhooks/subscriptions/{id}', 'deleteWebhookSubscription', 'webhooks.write', '204 400 401 403 404 429 500 503'],
      ['post /v1/webhooks/subscriptions/{id}/rotate-secret', 'rotateWebhookSecret', 'webhooks.write', '200 400 401 403 404 409 413 415 429 500 503'],
      ['post /v1/webhooks/subscriptions/{id}/test', 'sendWebhookTest', 'webhooks.write', '200 400 401 403 404 409 413 415 429 500 503'],
      ['get /v1/webhooks/subscriptions/{id}/deliveries', 'listWebhookDeliveries', 'webhooks.read', '200 400 401 403 404 429 500 503'],
      ['get /v1/webhooks/subscriptions/{id}/deliveries/{eventId}/attempts', 'listWebhookDeliveryAttempts', 'webhooks.read', '200 400 401 403 404 429 500 503'],
      ['post /v1/webhooks/subscriptions/{id}/deliveries/{eventId}/resend', 'resendWebhookDelivery', 'webhooks.write', '202 400 401 403 404 409 429 500 503'],
      ['post /v1/webhooks/subscriptions/{id}/resend', 'resendWebhookDeliveries', 'webhooks.write', '202 400 401 403 404 409 413 415 429 500 503'],
      ['get /v1/webhooks/source-addresses', 'listSourceAddresses', undefined, '200 304 400 401 404 429 500 503'],
      ['post /v1/webhooks/subscriptions/{id}/backfill', 'startWebhookBackfill', 'webhooks.write', '200 400 401 403 404 409 413 415 429 500 503'],
      ['get /v1/webhooks/subscriptions/{id}/backfill', 'getWebhookBackfill', 'webhooks.write', '200 400 401 403 404 429 500 503'],
      ['delete /v1/webhooks/subscriptions/{id}/backfill', 'cancelWebhookBackfill', 'webhooks.write', '200 400 401 403 404 429 500 503'],
    ])
  })
})

describe('a request', () => {
  const ajv = new Ajv2020({ strict: false, coerceTypes: true })
  addFormats.default(ajv)

  it.each([
    ['wait', '30', true],
    ['wait', '31', false],
    ['wait', '1.5', false],
    ['since', '2026-10-01T08:00:00.5+02:00', true],
    ['since', '2026-10-01', false],
    ['limit', '101', false],
    ['types', '', false],
    ['after', '', false],
  ])('for the feed matches the document if and only if the router accepts it: ?%s=%s', async (name, value, good) => {
    const { ask, callboard, issue } = await createPlatform({ maxOpenMs: 1 })
    const { paths } = await createRouter(callboard).openapi()
    const { schema } = paths['/v1/events/feed']!.get!.parameters!.find((parameter) => parameter.name === name)!
    expect(ajv.validate(schema, value)).toBe(good)
    const { token } = await issue()
    const { status } = await ask(`/v1/events/feed?${new URLSearchParams({ [name]: value })}`, { token })
    expect(status).toBe(good ? 200 : 400)
  })

  it.each([
    ['limit', '1', true],
    ['limit', '100', true],
    ['limit', '0', false],
    ['limit', '101', false],
    ['limit', '1.5', false],
    ['type', 'order.paid', true],
    ['type', 'order.lost', false],
    ['type', '', false],
    ['cursor', '', false],
  ])('matches the document if and only if the router accepts it: ?%s=%s', async (name, value, good) => {
    const { ask, callboard, issue } = await createPlatform()
    const { paths } = await createRouter(callboard).openapi()
    const schema = paths['/v1/events']!.get!.parameters!.find((parameter) => parameter.name === name)!.schema
    expect(ajv.validate(schema, value)).toBe(good)
    const { status } = await ask(`/v1/events?${name}=${value}`, { token: (await issue()).token })
    expect(status).toBe(good ? 200 : 400)
  })

  const fifty = Array.from({ length: 50 }, () => 'order.paid')
  it.each<[string, object, boolean]>([
    ['all fields', { externalRef: 'x' }, true],
    ['no reference', { externalRef: null }, true],
    ['50 event types', { eventTypes: fifty }, true],
    ['an event type that is repeated 60 times', { eventTypes: [...fifty, ...fifty.slice(40)] }, true],
    ['no event types', { eventTypes: [] }, false],
    ['an unknown event type', { eventTypes: ['order.lost'] }, false],
    ['an unknown integration', { integration: 'abacus' }, false],
    ['no integration', { integration: undefined }, false],
    ['an empty reference', { externalRef: '' }, false],
    ['a long reference', { externalRef: '😀'.repeat(255) }, true],
    ['an overlong reference', { externalRef: '😀'.repeat(256) }, false],
    ['a target that is not a URL', { targetUrl: 'hooks' }, false],
    ['a number as target', { targetUrl: 1 }, false],
  ])('matches the document if and only if the router accepts it: a body with %s', async (_what, changes, good) => {
    const { ask, callboard, issue } = await createPlatform()
    const body = JSON.parse(JSON.stringify({ ...SUBSCRIPTION, ...changes }))
    const { components } = await createRouter(callboard).openapi()
    const strict = addFormats.default(new Ajv2020({ strict: false }))
    expect(strict.validate(Object(components.schemas['WebhookSubscriptionInput']), body)).toBe(good)
    const { token } = await issue()
    const { status } = await ask('/v1/webhooks/subscriptions', { method: 'POST', token, json: body })
    expect(status).toBe(good ? 201 : 400)
  })

  it.each<[string, object, boolean]>([
    ['every field', { ...SUBSCRIPTION, integration: undefined, externalRef: 'x', apiVersion: '2026-10-01' }, true],
    ['no reference', { externalRef: null }, true],
    ['a state', { state: 'disabled' }, true],
    ['no field', {}, false],
    ['an unknown state', { state: 'paused' }, false],
    ['an empty reference', { externalRef: '' }, false],
    ['an unknown event type', { eventTypes: ['order.lost'] }, false],
    ['an unknown version', { apiVersion: '2025-01-01' }, false],
    ['null as target', { targetUrl: null }, false],
  ])('matches the document if and only if the router accepts it: a change with %s', async (_what, changes, good) => {
    const { ask, callboard, issue } = await createPlatform()
    const body = JSON.parse(JSON.stringify(changes))
    const { components } = await createRouter(callboard).openapi()
    const strict = addFormats.default(new Ajv2020({ strict: false }))
    expect(strict.validate(Object(components.schemas['WebhookSubscriptionChanges']), body)).toBe(good)
    const { token } = await issue()
    const path = '/v1/webhooks/subscriptions'
    const { id } = await (await ask(path, { method: 'POST', token, json: SUBSCRIPTION })).json()
    expect((await ask(`${path}/${id}`, { method: 'PATCH', token, json: body })).status).toBe(good ? 200 : 400)
  })

  it('may name any event type if the catalogue is empty', async () => {
    const { components, paths } = await documentWith()
    expect(paths['/v1/events']!.get!.parameters![0]!.schema).not.toHaveProperty('enum')
    expect(components.schemas['WebhookSubscriptionInput']).not.toHaveProperty('properties.eventTypes.items.enum')
  })
})

describe('webhooks', () => {
  const person = z.object({ id: z.string(), name: z.string() })
  const typed = (name: string, schema: z.ZodType<object>, sample: object, personalDataPaths: string[] = []) =>
    defineEventType({ name, family: 'f', descriptionKey: 'k', schema, sample, personalDataPaths })

  it('every event type of the platform has a webhook with the three signature headers', async () => {
    const { webhooks } = await contractDocument()
    expect(Object.keys(webhooks)).toEqual(['order.paid', 'attendee.checked_in'])
    for (const { post } of Object.values(webhooks)) {
      expect(post?.parameters?.map(({ name, required }) => [name, required])).toEqual([
        ['webhook-id', true],
        ['webhook-timestamp', true],
        ['webhook-signature', true],
      ])
    }
  })

  it('each webhook has the title and the description of its event type', async () => {
    const [schema, sample] = [z.object({}), {}]
    const { components, webhooks } = await documentWith(
      defineEventType({ name: 'order.paid', title: 'Payment', description: 'An order was paid.', schema, sample }),
      defineEventType({ name: 'order.lost', schema, sample }),
    )
    const posts = Object.values(webhooks).map(({ post }) => [post?.summary, post?.description?.split('\n')[0]])
    expect(posts).toEqual([
      ['Payment', 'An order was paid.'],
      ['Order lost', 'The event order.lost.'],
    ])
    expect(components.schemas['OrderPaidEvent']?.description).toBe('An order was paid.')
  })

  it('operation and schema names are unique, even for order.paid and order_paid', async () => {
    const { components, webhooks } = await documentWith(
      typed('order.paid', z.object({}), {}),
      typed('order_paid', z.object({}), {}),
    )
    expect(Object.values(webhooks).map(({ post }) => post?.operationId)).toEqual(['onOrderPaid', 'onOrderPaid2'])
    expect(components.schemas).toHaveProperty('OrderPaidEvent')
    expect(components.schemas).toHaveProperty('OrderPaid2Event')
  })

  it.each<[string, z.ZodType<object>, object, object, string]>([
    ['an object', z.object({ person }), { person: { id: '1', name: 'Ada' } }, { person: { id: '1' } }, 'person.name'],
    [
      'a list',
      z.object({ people: z.array(person) }),
      { people: [{ id: '1', name: 'Ada' }] },
      { people: [{ id: '1' }] },
      'people.name',
    ],
    [
      'a choice',
      z.object({
        who: z.discriminatedUnion('kind', [
          person.extend({ kind: z.literal('a') }),
          person.extend({ kind: z.literal('b') }),
        ]),
      }),
      { who: { kind: 'b', id: '1', name: 'Ada' } },
      { who: { kind: 'b', id: '1' } },
      'who.name',
    ],
    [
      'a record',
      z.object({ people: z.record(z.string(), person) }),
      { people: { host: { id: '1', name: 'Ada' } } },
      { people: { host: { id: '1' } } },
      'people.host.name',
    ],
    ['the whole of data', z.object({ person }), { person: { id: '1', name: 'Ada' } }, {}, 'person'],
  ])('allow an event whose personal data was removed from %s', async (_where, schema, sample, redacted, path) => {
    const { components } = await documentWith(typed('person.seen', schema, sample, [path]))
    const { properties } = Object(components.schemas['PersonSeenEvent'])
    const ajv = new Ajv2020({ strict: false })
    expect(ajv.validate(properties.data, sample)).toBe(true)
    expect(ajv.validate(properties.data, redacted)).toBe(true)
    expect(ajv.validate(properties.data, { people: 1, person: 1, who: 1 })).toBe(false)
  })

  it('have only patterns that other languages understand, and that mean the same without flags', async () => {
    const schema = z.object({
      kept: z.string().regex(/^[a-z]+-\d{2}$/u),
      kept2: z.string().regex(/^(?:a|b)(?=c)/),
      letters: z.string().regex(/^\p{L}+$/u),
      several: z
        .string()
        .regex(/^a/)
        .regex(/\P{Lu}$/u),
      point: z.string().regex(/\u{1F600}/u),
      named: z.string().regex(/^(?<year>\d{4})$/),
      flagged: z.string().regex(/^abc$/i),
      byName: z.record(z.string().regex(/^\p{L}$/u), z.string()),
    })
    const sample = {
      ...{ kept: 'a-12', kept2: 'ac', letters: 'ä', several: 'ab', point: '😀', named: '2026', flagged: 'ABC' },
      byName: { a: 'b' },
    }
    const { components } = await documentWith(typed('word.said', schema, sample))
    const patterns: unknown[] = []
    JSON.stringify(components.schemas['WordSaidEvent'], (key, value) => {
      if (key === 'pattern') patterns.push(value)
      return value
    })
    expect(patterns).toEqual(['^[a-z]+-\\d{2}$', '^(?:a|b)(?=c)', '^a'])
    const validate = new Ajv2020({ strict: false }).compile(Object(components.schemas['WordSaidEvent']).properties.data)
    expect(validate(sample)).toBe(true)
  })

  it('the schema of an event type may refer to itself', async () => {
    const node = z.object({
      name: z.string(),
      get children() {
        return z.array(node)
      },
    })
    const sample = { root: { name: 'a', children: [{ name: 'b', children: [] }] } }
    const document = await documentWith(typed('tree.grown', z.object({ root: node }), sample, ['root.name']))
    const ajv = new Ajv2020({ strict: false }).addSchema(document, 'document')
    const validate = ajv.compile({ $ref: 'document#/components/schemas/TreeGrownEvent/properties/data' })
    expect(validate(sample)).toBe(true)
    expect(validate({ root: { children: [] } })).toBe(true)
    expect(validate({ root: { name: 'a', children: [{ children: 1 }] } })).toBe(false)
  })
})
