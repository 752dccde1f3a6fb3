import type { Scope } from '@callboard/core'
import { expect } from 'vitest'
import * as z from 'zod'
import { APRIL, CURRENT } from '../versioned-catalog.ts'
import { type FuzzRequest, SOURCE_ADDRESSES, SUBSCRIPTIONS } from './fuzz-request.ts'
import type { FuzzedKey, FuzzedPlatform } from './fuzzed-platform.ts'

/**
 * The documented shapes of responses, written out independently of the router's code. The schemas are strict, so a
 * response with any other field fails.
 */
const timestamp = z.iso.datetime({ precision: 3 })
const VERSIONS: readonly string[] = [CURRENT, APRIL]
const version = z.enum([CURRENT, APRIL])
const envelope = z.strictObject({
  id: z.string().regex(/^evt_/),
  type: z.string(),
  version,
  occurred_at: timestamp,
  account: z.strictObject({ id: z.string(), name: z.string() }),
  subject: z.strictObject({ type: z.string(), id: z.string(), sequence: z.int() }),
  correlation_id: z.string().nullable(),
  livemode: z.boolean(),
  data: z.record(z.string(), z.unknown()),
})
const subscription = {
  id: z.string().regex(/^sub_/),
  targetUrl: z.string(),
  eventTypes: z.array(z.string()).min(1).max(50),
  integration: z.enum(['zapier', 'make', 'n8n', 'other']),
  externalRef: z.string().min(1).optional(),
  apiVersion: version,
  createdAt: timestamp,
}
const count = z.int().min(0)
const details = z.strictObject({
  ...subscription,
  state: z.enum(['active', 'disabled']),
  disabled: z
    .strictObject({
      reason: z.enum(['gone', 'failing', 'key', 'account', 'platform']),
      since: timestamp.nullable(),
      message: z.string().max(200),
      remedy: z.string().max(200),
    })
    .nullable(),
  personalData: z.boolean(),
  secretVersion: z.string().regex(/^[\w-]{16}$/),
  health: z.strictObject({
    delivered: count,
    failed: count,
    failing: z.strictObject({ since: timestamp, attempts: count }).nullable(),
    pausedUntil: timestamp.nullable(),
    nextAttemptAt: timestamp.nullable(),
    retrying: count,
    oldestPendingAt: timestamp.nullable(),
    lastAttempt: z.looseObject({ eventId: z.string() }).nullable(),
  }),
})
const attemptEnd = {
  outcome: z.literal('failed'),
  status: z.literal(500),
  reason: z.null(),
  message: z.null(),
  at: timestamp,
}
const backfill = z.strictObject({
  state: z.enum(['running', 'cancelled']),
  since: timestamp,
  startedAt: timestamp,
  reachedAt: z.null(),
})
const pageOf = (entry: z.ZodType): z.ZodType =>
  z.strictObject({ data: z.array(entry).max(100), nextCursor: z.string().nullable(), hasMore: z.boolean() })
const bodies: Readonly<Record<string, z.ZodType>> = {
  'GET /v1/me': z.strictObject({
    entity: z.strictObject({ id: z.string(), name: z.string() }),
    apiKeyId: z.string().regex(/^key_/),
    scopes: z.array(z.string()),
  }),
  'GET /v1/event-types': z.strictObject({
    apiVersion: version,
    data: z.array(
      z.strictObject({
        type: z.string(),
        family: z.string(),
        descriptionKey: z.string(),
        sample: z.looseObject({}),
        personalDataPaths: z.array(z.string()),
      }),
    ),
  }),
  'GET /v1/events': z.strictObject({
    data: z.array(envelope).max(100),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
  }),
  'GET /v1/events/feed': z.strictObject({
    data: z.array(envelope).max(100),
    nextCursor: z.string(),
    hasMore: z.boolean(),
    truncated: z.literal(false),
  }),
  'GET /v1/events/:id': envelope,
  [`GET ${SOURCE_ADDRESSES}`]: z.strictObject({ data: z.array(z.cidrv4()) }),
  [`GET ${SUBSCRIPTIONS}`]: z.strictObject({
    data: z.array(details).max(100),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
  }),
  [`POST ${SUBSCRIPTIONS}`]: z.strictObject({
    ...subscription,
    created: z.boolean(),
    secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/),
  }),
  [`GET ${SUBSCRIPTIONS}/:id`]: details,
  [`GET ${SUBSCRIPTIONS}/:id/deliveries`]: pageOf(
    z.strictObject({
      eventId: z.string().regex(/^evt_/),
      type: z.string(),
      occurredAt: timestamp,
      subject: z.strictObject({ type: z.string(), id: z.string() }),
      state: z.enum(['pending', 'retrying', 'disabled']),
      attempts: count,
      nextAttemptAt: timestamp.nullable(),
      lastAttempt: z.strictObject(attemptEnd).nullable(),
    }),
  ),
  [`GET ${SUBSCRIPTIONS}/:id/deliveries/:eventId/attempts`]: pageOf(
    z.strictObject({
      ...attemptEnd,
      id: z.string().regex(/^att_/),
      number: z.literal(1),
      durationMs: count,
      response: z.string().optional(),
    }),
  ),
  [`POST ${SUBSCRIPTIONS}/:id/deliveries/:eventId/resend`]: z.strictObject({
    outcome: z.enum(['scheduled', 'hastened', 'pending']),
  }),
  [`POST ${SUBSCRIPTIONS}/:id/resend`]: z.strictObject({
    resent: count,
    waiting: count,
    nextCursor: z.string().nullable(),
  }),
  [`POST ${SUBSCRIPTIONS}/:id/backfill`]: backfill,
  [`GET ${SUBSCRIPTIONS}/:id/backfill`]: backfill,
  [`DELETE ${SUBSCRIPTIONS}/:id/backfill`]: backfill,
  [`PATCH ${SUBSCRIPTIONS}/:id`]: details,
  [`POST ${SUBSCRIPTIONS}/:id/rotate-secret`]: z.strictObject({
    id: subscription.id,
    secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/),
    secretVersion: details.shape.secretVersion,
  }),
}

const CODES: Readonly<Record<number, string | readonly string[]>> = {
  400: 'VALIDATION_FAILED',
  401: 'UNAUTHENTICATED',
  403: 'INSUFFICIENT_SCOPE',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: [
    'SUBSCRIPTION_LIMIT_REACHED',
    'SUBSCRIPTION_EXISTS',
    'DISABLED_BY_PLATFORM',
    'CHANGE_PENDING',
    'SECRET_ROTATED',
    'SUBSCRIPTION_DISABLED',
  ],
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
}
const problem = z.strictObject({
  statusCode: z.int(),
  message: z.string().min(1).max(200),
  timestamp,
  path: z.string(),
  requestId: z.string().regex(/^req_/),
  errorCode: z.string(),
  subscriptionId: subscription.id.optional(),
  issues: z
    .array(z.strictObject({ path: z.string(), message: z.string().min(1).max(200) }))
    .min(1)
    .optional(),
})

/** Matches strings that come from a database, a stack trace or a file system. */
const INTERNALS = /insert into|select .* from|\bpg_|relation "|node_modules|\.ts:\d|\n +at |ECONN|TypeError|SyntaxError/

export interface Answer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: string
}

function routeOf(pathname: string): string {
  const [, rest] = /^\/v1\/webhooks\/subscriptions\/[^/]+(|\/.*)$/s.exec(pathname) ?? []
  if (rest === undefined) return pathname.replace(/^\/v1\/events\/(?!feed$)[^/]+$/, '/v1/events/:id')
  return `${SUBSCRIPTIONS}/:id${rest.replace(/^\/deliveries\/[^/]+(?=\/)/, '/deliveries/:eventId')}`
}

/** The statuses that a request can get, following the documented order of checks. */
function expectedStatuses(
  platform: FuzzedPlatform,
  request: FuzzRequest,
  pathname: string,
  key: FuzzedKey | undefined,
): readonly number[] {
  const method = request.method === 'HEAD' ? 'GET' : request.method === 'get' ? 'GET' : request.method
  const route = routeOf(pathname)
  const known: Readonly<Record<string, readonly Operation[]>> = {
    '/v1/me': [{ takes: 'GET', statuses: [200] }],
    '/v1/event-types': [{ takes: 'GET', scope: 'webhooks.read', statuses: [200] }],
    '/v1/events': [
      {
        takes: 'GET',
        scope: 'webhooks.read',
        statuses: isForged('cursor', platform.cursors, request, key) ? [400] : [200, 400],
      },
    ],
    '/v1/events/feed': [
      {
        takes: 'GET',
        scope: 'webhooks.read',
        statuses: isForged('after', platform.feedCursors, request, key) ? [400] : [200, 400],
      },
    ],
    '/v1/events/:id': [{ takes: 'GET', scope: 'webhooks.read', statuses: [200, 404] }],
    [SOURCE_ADDRESSES]: [{ takes: 'GET', statuses: [200, 304] }],
    [SUBSCRIPTIONS]: [
      {
        takes: 'GET',
        scope: 'webhooks.read',
        // Every known cursor is one of events.
        statuses: new URLSearchParams(request.query).has('cursor') ? [400] : [200, 400],
      },
      {
        takes: 'POST',
        scope: 'webhooks.write',
        statuses: request.body?.valid === true ? [200, 201, 409] : [200, 201, 400, 409, 413, 415],
      },
    ],
    [`${SUBSCRIPTIONS}/:id`]: [
      { takes: 'GET', scope: 'webhooks.read', statuses: [200, 404] },
      { takes: 'PATCH', scope: 'webhooks.write', statuses: [200, 400, 404, 409, 413, 415] },
      { takes: 'DELETE', scope: 'webhooks.write', statuses: [204, 404] },
    ],
    [`${SUBSCRIPTIONS}/:id/test`]: [{ takes: 'POST', scope: 'webhooks.write', statuses: [404] }],
    [`${SUBSCRIPTIONS}/:id/rotate-secret`]: [
      { takes: 'POST', scope: 'webhooks.write', statuses: [200, 400, 404, 409, 413, 415] },
    ],
    [`${SUBSCRIPTIONS}/:id/deliveries`]: [{ takes: 'GET', scope: 'webhooks.read', statuses: [200, 400, 404] }],
    [`${SUBSCRIPTIONS}/:id/deliveries/:eventId/attempts`]: [
      { takes: 'GET', scope: 'webhooks.read', statuses: [200, 400, 404] },
    ],
    [`${SUBSCRIPTIONS}/:id/deliveries/:eventId/resend`]: [
      { takes: 'POST', scope: 'webhooks.write', statuses: [202, 404, 409] },
    ],
    [`${SUBSCRIPTIONS}/:id/resend`]: [
      { takes: 'POST', scope: 'webhooks.write', statuses: [202, 400, 404, 409, 413, 415] },
    ],
    [`${SUBSCRIPTIONS}/:id/backfill`]: [
      { takes: 'POST', scope: 'webhooks.write', statuses: [200, 400, 404, 409, 413, 415] },
      { takes: 'GET', scope: 'webhooks.write', statuses: [200, 404] },
      { takes: 'DELETE', scope: 'webhooks.write', statuses: [200, 404] },
    ],
  }
  const operations = Object.hasOwn(known, route) ? known[route] : undefined
  if (operations === undefined) return [404]
  const found = operations.find(({ takes }) => takes === method)
  if (found === undefined) return [method === 'OPTIONS' ? 204 : 405]
  if (key?.home === undefined) return [401]
  const limited = key.limited ? [429] : []
  const { scope, statuses } = found
  if (scope !== undefined && !key.scopes.includes(scope)) return [403, ...limited]
  return [...(isOfKnownVersion(request) ? statuses : [400]), ...limited]
}

interface Operation {
  readonly takes: string
  readonly scope?: Scope
  readonly statuses: readonly number[]
}

/** Whether the request asks for no format version, or for one that the catalogue has. */
function isOfKnownVersion({ headers }: FuzzRequest): boolean {
  const asked = headers.filter(([name]) => name === 'callboard-version').map(([, version]) => version)
  return asked.length === 0 || VERSIONS.includes(asked.join(', '))
}

/** Whether the request carries a cursor that was not issued to the account and mode of the request's key. */
function isForged(
  parameter: 'cursor' | 'after',
  cursors: readonly string[],
  { query }: FuzzRequest,
  key: FuzzedKey | undefined,
): boolean {
  const [cursor] = new URLSearchParams(query).getAll(parameter)
  return cursor !== undefined && !(key?.home === 'acc live' && cursors.includes(cursor))
}

/** The request's key; undefined if the request carries no known key, or more than one. */
export function keyOf({ keys }: FuzzedPlatform, { authorization }: FuzzRequest): FuzzedKey | undefined {
  return 'scheme' in authorization ? keys[authorization.key] : undefined
}

/** Checks what the router promises for every response. */
export function checkAnswer(platform: FuzzedPlatform, request: FuzzRequest, pathname: string, answer: Answer): void {
  const { status, headers, body } = answer
  const key = keyOf(platform, request)
  checkLeaks(platform, key, `${body}${[...headersOf(answer)].join('\n')}`)
  const { errors, logs } = platform.takeTold()
  expect(errors, 'errors passed to onError').toEqual([])
  for (const line of logs) checkLeaks(platform, undefined, line)

  expect(expectedStatuses(platform, request, pathname, key), `the status ${status}`).toContain(status)
  const requestId = headers.get('x-request-id')
  expect(requestId).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/)
  const mayBeKept = pathname === SOURCE_ADDRESSES && [200, 304].includes(status)
  expect(headers.get('cache-control')).toBe(mayBeKept ? 'private, no-cache' : 'no-store')
  if (![204, 404, 405].includes(status)) expect(headers.get('ratelimit') !== null).toBe(status !== 401)
  if ([204, 304].includes(status) || request.method === 'HEAD') {
    expect(body).toBe('')
    return
  }
  expect(headers.get('content-type')).toBe('application/json')
  const json: unknown = JSON.parse(body)
  if (status < 300) {
    const shape = bodies[`${request.method.toUpperCase()} ${routeOf(pathname)}`]
    expect(shape?.safeParse(json).error).toBeUndefined()
    expect(shape).toBeDefined()
    return
  }
  const told = problem.parse(json)
  expect(told).toMatchObject({ statusCode: status, requestId, path: pathname })
  expect([CODES[status]].flat()).toContain(told.errorCode)
  expect(told.subscriptionId !== undefined).toBe(told.errorCode === 'SUBSCRIPTION_EXISTS')
  expect(told.issues !== undefined).toBe(status === 400)
  expect(headers.get('www-authenticate') !== null).toBe(status === 401 || status === 403)
  expect(headers.get('allow') !== null).toBe(status === 405)
  expect(headers.get('retry-after') !== null).toBe(status === 429)
}

/**
 * Checks that a string contains no token, ring key, SQL or stack trace, and no secret or personal value of another
 * account.
 */
export function checkLeaks(
  { hidden, personal, secrets }: FuzzedPlatform,
  key: FuzzedKey | undefined,
  text: string,
): void {
  for (const each of hidden) expect(text.includes(each), 'a token or ring key leaked').toBe(false)
  expect(text).not.toMatch(INTERNALS)
  for (const [secret] of text.matchAll(/whsec_[A-Za-z0-9+/=]+/g)) {
    const home = key?.home ?? 'nobody'
    expect(secrets.get(secret) ?? home, 'the owner of the secret').toBe(home)
    secrets.set(secret, home)
  }
  for (const [home, values] of Object.entries(personal)) {
    if (home === key?.home && key.scopes.includes('people.read')) continue
    for (const value of values) expect(text.includes(value), `a personal value of ${home} leaked`).toBe(false)
  }
}

function* headersOf({ headers }: Answer): Iterable<string> {
  for (const name of ['www-authenticate', 'allow', 'location', 'set-cookie', 'x-powered-by', 'content-type'])
    yield headers.get(name) ?? ''
}
