import { type Account, createId, type KeyRecord, type RateLimits } from '@callboard/core'
import {
  type AuditDraft,
  ENABLES_FROM,
  type EventDraft,
  type ImportedSubscription,
  type NewAccount,
  type NewKey,
  type NewSubscription,
  type SignatureFormat,
} from '@callboard/core/store'

/** Limits so high, for windows so long, that no test reaches a limit or the end of a window. */
export const WIDE_LIMITS: RateLimits = [
  { seconds: 86_400, limit: 1000 },
  { seconds: 2 * 86_400, limit: 2000 },
  { seconds: 4 * 86_400, limit: 3000 },
]

const DAY_MS = 86_400_000
let made = 0

/** An audit entry for changes whose entry a test does not read. */
export const ENTRY: AuditDraft = {
  actor: { type: 'platform', id: undefined },
  action: 'account.renamed',
  accountId: undefined,
  mode: undefined,
  objectId: undefined,
  details: {},
}

/** An account whose name needs every kind of JSON escape. */
export function newAccount(overrides: Partial<Account> = {}): Account {
  return { id: `account-${++made}`, name: 'Zoë & "Söhne" \\ 🎟\n</b>', ...overrides }
}

export function newKey(account: Account, overrides: Partial<NewKey> = {}): NewKey {
  return {
    id: createId('key'),
    accountId: account.id,
    mode: 'live',
    name: 'zap',
    scopes: ['webhooks.read', 'webhooks.write'],
    limits: undefined,
    apiVersion: '2026-10-01',
    expiresAt: undefined,
    tokenHash: randomBytes(),
    lastCharacters: 'x7Qp',
    ...overrides,
  }
}

/** The input with which the API creates a subscription to `order.paid` for this key. */
export function newSubscription(
  key: Pick<KeyRecord, 'id' | 'accountId' | 'mode'>,
  overrides: Partial<NewSubscription> = {},
): NewSubscription {
  return {
    id: createId('sub'),
    accountId: key.accountId,
    mode: key.mode,
    source: 'api',
    identity: randomBytes(),
    enablesFrom: ENABLES_FROM.integration,
    targetUrl: 'https://hooks.example.com/catch/1',
    eventTypes: ['order.paid'],
    integration: 'zapier',
    externalRef: undefined,
    apiVersion: '2026-10-01',
    sealedSecret: 'sealed-1',
    confirmedBy: key.id,
    personalData: undefined,
    ...overrides,
  }
}

/** A subscription to `order.paid` that the platform brings along, with an id of its own. */
export function newImport(
  account: Pick<Account, 'id'>,
  overrides: Partial<ImportedSubscription> = {},
): ImportedSubscription {
  const id = overrides.id ?? `wh_${++made}`
  const { accountId = account.id, mode = 'live', createdAt = new Date(Date.now() - DAY_MS) } = overrides
  return {
    accountId,
    mode,
    id,
    laneId: createId('sub', { now: createdAt.getTime() }),
    named: true,
    digests: [`k1.${id}`],
    identity: randomBytes(),
    targetUrl: 'https://hooks.example.com/catch/1',
    eventTypes: ['order.paid'],
    integration: 'other',
    externalRef: undefined,
    description: undefined,
    apiVersion: '2026-10-01',
    secrets: [{ sealed: 'sealed-1', expiresAt: undefined }],
    personalData: false,
    disabledReason: undefined,
    createdAt,
    entry: { ...ENTRY, action: 'subscription.imported', accountId, mode, objectId: id },
    ...overrides,
  }
}

/** Formats of signatures beside the standard. */
export const SIGNATURES: readonly SignatureFormat[] = [
  'standard',
  'svix',
  { type: 'hmac', header: 'X-Acme-Signature', over: 'timestamp.body', encoding: 'hex', prefix: 't={timestamp},v1=' },
]

/** A draft of an `order.paid` event with its own subject. Each draft has a higher id than the one before. */
export function draft(account: Pick<Account, 'id'>, overrides: Partial<EventDraft> = {}): EventDraft {
  const id = overrides.id ?? createId('evt', { now: Date.now() - DAY_MS + ++made })
  return {
    accountId: account.id,
    mode: 'live',
    id,
    type: 'order.paid',
    occurredAt: new Date(),
    subject: { type: 'order', id },
    sequence: undefined,
    ownId: false,
    idempotencyKey: undefined,
    digests: [],
    head: `{"id":"${id}","account":{"id":"${account.id}","name":`,
    middle: '},"sequence":',
    tail: ',"data":{"order":{"buyer":{}}}}',
    patch: '[["order.buyer.name","Ada"]]',
    fingerprint: 'f1',
    personId: 'person-1',
    trace: undefined,
    ...overrides,
  }
}

/** Drafts of events of one subject, so that the events enter the feed in the order in which they are published. */
export function draftsOfOneSubject(
  account: Pick<Account, 'id'>,
  count: number,
  overrides: Partial<EventDraft> = {},
): EventDraft[] {
  const subject = { type: 'order', id: `order-${++made}` }
  return Array.from({ length: count }, () => draft(account, { subject, ...overrides }))
}

export function randomBytes(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32))
}

/** The account with the entry that records its creation by the platform. */
export function accountToCreate(account: Account): NewAccount {
  const actor = { type: 'platform', id: undefined } as const
  const entry = { actor, accountId: account.id, mode: undefined, objectId: undefined, details: {} }
  return { ...account, entry: { ...entry, action: 'account.created' } }
}
