import { createCallboard, type IssuedKey, type RateLimits, type Scope } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { createRouter } from '@callboard/router'
import { callerOf, orderPaidEvent } from '../arrange.ts'
import { facadeOptions, RING } from '../on-each-store.ts'
import { memoryFixture, type StoreFixture } from '../stores.ts'
import { versionedCatalog } from '../versioned-catalog.ts'
import { echoDeliveries } from './echo-deliveries.ts'

/** The keys that requests are sent with. */
export const KEY_NAMES = [
  'all',
  'reader',
  'writer',
  'bare',
  'test',
  'rival',
  'limited',
  'revoked',
  'expired',
  'unknown',
] as const
export type KeyName = (typeof KEY_NAMES)[number]

export interface FuzzedKey {
  readonly token: string
  readonly scopes: readonly Scope[]
  /** Account and mode; undefined if the key is not valid. */
  readonly home: string | undefined
  readonly limited: boolean
}

/** A platform with several accounts, and all the data that must not leak from it. */
export interface FuzzedPlatform {
  readonly fetch: (request: Request) => Promise<Response>
  readonly keys: Readonly<Record<KeyName, FuzzedKey>>
  /** Cursors issued to the key `all`, some of them for a filter by type. */
  readonly cursors: readonly string[]
  /** The same for cursors of the feed. */
  readonly feedCursors: readonly string[]
  /** Subscriptions of each account and mode. */
  readonly subscriptions: readonly string[]
  /** Subscriptions that no request deletes. Each has an attempt with personal data for each of its own events. */
  readonly delivered: readonly string[]
  /** Events of all accounts and modes. */
  readonly events: readonly string[]
  /** Personal values, by account and mode. */
  readonly personal: Readonly<Record<string, readonly string[]>>
  /** Strings that no response or log entry may contain. */
  readonly hidden: readonly string[]
  /** The signing secrets seen so far, with their account and mode. */
  readonly secrets: Map<string, string>
  /** Returns the errors and log entries that the platform's hooks received since the previous call. */
  takeTold(): { readonly errors: readonly unknown[]; readonly logs: readonly string[] }
  /** Whether the subscription of the account `bystander` is unchanged. No request has a key of that account. */
  untouched(): Promise<boolean>
}

const WIDE: RateLimits = [
  { seconds: 1, limit: 1_000_000 },
  { seconds: 10, limit: 1_000_000 },
  { seconds: 60, limit: 1_000_000 },
]
const NARROW: RateLimits = [
  { seconds: 1, limit: 1 },
  { seconds: 10, limit: 5 },
  { seconds: 60, limit: 20 },
]
const ALL: readonly Scope[] = ['webhooks.read', 'webhooks.write', 'people.read']
const MINUTE = 60_000

export async function createFuzzedPlatform(fixture: StoreFixture): Promise<FuzzedPlatform> {
  let errors: unknown[] = []
  let logs: string[] = []
  const callboard = createCallboard({
    ...facadeOptions(fixture),
    catalog: versionedCatalog,
    rateLimits: WIDE,
    maxSubscriptions: 40,
    sourceAddresses: ['198.51.100.0/24'],
    maxChangesPerMinute: 1_000_000,
    onError: (error) => void errors.push(error),
    log: (entry) => void logs.push(JSON.stringify(entry)),
  })
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
  await callboard.accounts.create({ id: 'rival', name: 'Rival' })
  await callboard.accounts.create({ id: 'bystander', name: 'Bystander' })

  const issue = async (
    scopes: readonly Scope[],
    {
      accountId = 'acc',
      mode = 'live' as 'live' | 'test',
      limits = WIDE,
      expiresAt = undefined as Date | undefined,
    } = {},
  ): Promise<FuzzedKey & { readonly issued: IssuedKey }> => {
    const issued = await callboard.keys.issue({ accountId, name: 'fuzz', scopes, mode, limits, expiresAt })
    return { issued, token: issued.token, scopes, home: `${accountId} ${mode}`, limited: limits === NARROW }
  }
  const lost = (key: FuzzedKey): FuzzedKey => ({ ...key, home: undefined })
  const revoked = await issue(ALL)
  await callboard.keys.revoke({ accountId: 'acc', id: revoked.issued.id })
  const expired = await issue(ALL, { expiresAt: new Date(Date.now() + MINUTE) })
  await fixture.advance(2 * MINUTE)
  const elsewhere = createCallboard(facadeOptions(await memoryFixture()))
  await elsewhere.accounts.create({ id: 'acc', name: 'Acme' })
  const unknown = await elsewhere.keys.issue({ accountId: 'acc', name: 'fuzz', scopes: ALL })
  const keys: Record<KeyName, FuzzedKey> = {
    all: await issue(ALL),
    reader: await issue(['webhooks.read']),
    writer: await issue(['webhooks.write']),
    bare: await issue([]),
    test: await issue(ALL, { mode: 'test' }),
    rival: await issue(ALL, { accountId: 'rival' }),
    limited: await issue(['webhooks.read', 'webhooks.write'], { limits: NARROW }),
    revoked: lost(revoked),
    expired: lost(expired),
    unknown: { token: unknown.token, scopes: ALL, home: undefined, limited: false },
  }

  const personal: Record<string, string[]> = {}
  const published: { readonly home: string; readonly id: string }[] = []
  for (const [accountId, mode] of [
    ['acc', 'live'],
    ['acc', 'test'],
    ['rival', 'live'],
  ] as const) {
    const name = `Perdita-${accountId}-${mode}`
    const email = `${name}@private.example`.toLowerCase()
    personal[`${accountId} ${mode}`] = [name, email]
    for (let n = 1; n <= 8; n++) {
      const order = { id: `ord_${n}`, buyer: { entity_id: 'per_1', name, email } }
      const { id } = await callboard.publish(orderPaidEvent({ accountId, mode, data: { order } }))
      published.push({ home: `${accountId} ${mode}`, id })
    }
  }
  const cursors: string[] = []
  for (const type of [undefined, 'order.paid']) {
    const { nextCursor } = await callboard.events.page({ accountId: 'acc', limit: 2, type })
    if (nextCursor !== null) cursors.push(nextCursor)
  }
  await fixture.store.deliveries.sequence(1000)
  const { eventFeed } = engineOf(callboard)
  const caller = await callerOf(callboard, keys.all.token)
  const feedCursors: string[] = []
  for (const types of [undefined, ['order.paid']]) {
    const open = await eventFeed.open({ since: '2020-01-01T00:00:00Z', limit: 2, types }, caller)
    const [page] = await eventFeed.read([open])
    if (page !== undefined) feedCursors.push(await eventFeed.cursorAt(page.place, open))
  }

  const secrets = new Map<string, string>()
  const subscriptions: string[] = []
  const bystander = await issue(ALL, { accountId: 'bystander' })
  for (const { token, home = '' } of [keys.all, keys.test, keys.rival, bystander]) {
    const input = { targetUrl: 'https://hooks.example.com/seed', eventTypes: ['order.paid'], integration: 'other' }
    const { id, secret } = await engineOf(callboard).apiSubscriptions.create(await callerOf(callboard, token), input)
    subscriptions.push(id)
    secrets.set(secret, home)
  }
  const delivered: string[] = []
  for (const { token, home } of [keys.all, keys.test, keys.rival]) {
    const owner = await callerOf(callboard, token)
    const input = { targetUrl: 'https://hooks.example.com/echo', eventTypes: ['order.paid'], integration: 'other' }
    const { id, secret } = await engineOf(callboard).apiSubscriptions.create(owner, input)
    delivered.push(id)
    secrets.set(secret, home ?? '')
    for (const event of published)
      if (event.home === home)
        await callboard.deliveries.resend({
          accountId: owner.account.id,
          mode: owner.mode,
          subscriptionId: id,
          eventId: event.id,
        })
  }
  await echoDeliveries(callboard, (home) => `cannot read ${personal[home]?.join(', ')}`)
  const tokens = [...Object.values(keys), bystander].map(({ token }) => token)
  const ring = Object.values(RING).flatMap((key) => [
    Buffer.from(key).toString('base64').slice(0, 40),
    Buffer.from(key).toString('hex'),
  ])
  return {
    fetch: createRouter(callboard).fetch,
    keys,
    cursors,
    feedCursors,
    subscriptions,
    delivered,
    events: published.map(({ id }) => id),
    personal,
    hidden: [...tokens, ...ring],
    secrets,
    takeTold() {
      const told = { errors, logs }
      errors = []
      logs = []
      return told
    },
    async untouched() {
      const [only, ...others] = await callboard.subscriptions.list({ accountId: 'bystander' })
      return others.length === 0 && only?.id === subscriptions.at(-1) && only?.state === 'active'
    },
  }
}
