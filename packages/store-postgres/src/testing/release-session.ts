import { createId } from '@callboard/core'
import {
  DEFAULT_RATE_LIMITS,
  FAILING_RULE,
  type LaneSettlement,
  type LeasedLane,
  type SubscriptionRef,
  type WorkerReport,
} from '@callboard/core/store'
import {
  createSubscription,
  disableSubscription,
  ENTRY,
  enableSubscription,
  leaseDue,
  newImport,
  removeSubscription,
  reviseSubscription,
  rotateSecret,
  sequenceAndLease,
  setOrdering,
  skipToNow,
  startBackfill,
} from '@callboard/store-conformance'
import type { PostgresStore } from '../lib/postgres-store.ts'
import { eventDraft, newSubscription, settled } from './inputs.ts'

const LEASE_MS = 1e9
const KEY = {
  accountId: 'a',
  mode: 'live',
  scopes: ['webhooks.read', 'people.read'],
  limits: undefined,
  apiVersion: '2026-10-01',
} as const
const STATES = ['pending', 'retrying', 'delivered', 'exhausted', 'skipped', 'expired', 'disabled', undefined] as const
const HORIZONS = {
  eventsMs: 1e12,
  attemptsMs: 1e12,
  responsesMs: 1e12,
  subscriptionsMs: 1e12,
  auditMs: 1e12,
  maxResponses: 1e9,
}

/**
 * Calls every method of the store that a platform, its customers and a worker call. Reads no clock, so that the session
 * can be repeated later with the same results.
 */
export async function runSession(store: PostgresStore): Promise<void> {
  await store.ready()
  await store.accounts.createAccounts([{ id: 'a', name: 'A', entry: ENTRY }])
  await store.accounts.rename({ id: 'a', name: 'B' }, ENTRY)
  await store.accounts.find('a')
  const [key, other] = [await issueKey(store), await issueKey(store)]
  await store.keys.list({ accountId: 'a', mode: 'live', after: undefined, limit: 5 })
  await store.keys.rotateKey(
    {
      accountId: 'a',
      keyId: other.id,
      successor: { id: createId('key'), tokenHash: crypto.getRandomValues(new Uint8Array(32)), expiresAt: undefined },
      overlapMs: 3_600_000,
    },
    ENTRY,
  )
  await admit(store, key.tokenHash)

  const api = newSubscription({ source: 'api', identity: new Uint8Array(32), confirmedBy: key.id })
  await createSubscription(store, api)
  await createSubscription(store, { ...api, id: createId('sub') })
  const ordered = newSubscription()
  await createSubscription(store, ordered)
  await setOrdering(store, ordered, 'subject')
  await importSubscriptions(store)
  await publish(store)
  await deliver(store, api)
  await change(store, ordered)
  await read(store, api, key.tokenHash)
  await maintain(store, api)

  await disableSubscription(store, api, 'account')
  await readEntries(store, api.id)
  await enableSubscription(store, api, ['account'])
  await removeSubscription(store, ordered, ['dashboard'])
  await store.keys.revokeKey('a', key.id, ENTRY)
  await store.accounts.delete('a', ENTRY)
}

/** Imports a subscription that receives no event of this session. */
async function importSubscriptions(store: PostgresStore): Promise<void> {
  const imported = newImport({ id: 'a' }, { id: 'wh_1', mode: 'test' })
  for (const dryRun of [true, false])
    await store.subscriptions.importSubscriptions([imported, newImport({ id: 'b' })], { total: 10, dryRun })
  await store.subscriptions.find(imported)
}

async function readEntries(store: PostgresStore, objectId: string): Promise<void> {
  const all = { accountId: undefined, mode: undefined, objectId: undefined, before: undefined, limit: 10 }
  await store.audit.list(all)
  await store.audit.list({ ...all, accountId: 'a', mode: 'live' })
  await store.audit.list({ ...all, objectId })
  await store.audit.findObjects([objectId])
}

async function issueKey(store: PostgresStore) {
  const key = { ...KEY, id: createId('key'), name: 'k', expiresAt: undefined }
  const tokenHash = crypto.getRandomValues(new Uint8Array(32))
  await store.keys.issueKey({ ...key, tokenHash }, 10, ENTRY)
  await store.keys.find('a', key.id)
  return { id: key.id, tokenHash }
}

async function admit(store: PostgresStore, tokenHash: Uint8Array<ArrayBuffer>): Promise<void> {
  const request = { tokenHash, limits: DEFAULT_RATE_LIMITS }
  const page = { after: undefined, limit: 2, horizonMs: 1e12 }
  await store.admission.identify(tokenHash)
  await store.admission.admitRequest(request)
  await store.admission.admitRequest({ ...request, page: { ...page, type: undefined } })
  await store.admission.admitRequest({ ...request, page: { ...page, type: 'order.paid' } })
}

async function publish(store: PostgresStore): Promise<void> {
  await store.events.publishDrafts([eventDraft('s')])
  await store.events.publishDrafts([eventDraft('s'), eventDraft('t')])
  await store.events.publishDrafts([eventDraft('s', 'key')])
  await store.events.publishDrafts([eventDraft('s', 'key')])
  await store.events.publishDrafts([eventDraft('s', 'key', 'other')])
  await store.events.publishDrafts([{ ...eventDraft('s'), accountId: 'unknown' }])
}

const REPORT: WorkerReport = {
  waiting: { lanes: 1, accounts: 1 },
  heldBack: [{ host: 'hooks.example.com', limit: 4, reason: 'new', lanes: 1 }],
}

/** One lane fails, the other delivers. */
async function deliver(store: PostgresStore, failing: SubscriptionRef): Promise<void> {
  await store.deliveries.backlog()
  await store.deliveries.attend({ id: 'w', name: 'worker', details: REPORT })
  await store.deliveries.sequence(100)
  const lanes = await leaseDue(store, { leaseMs: LEASE_MS })
  await store.deliveries.checkLeases(lanes.map(({ lease }) => lease))
  await store.deliveries.settle(
    lanes.map((lane) => attempted(lane, lane.lease.id === failing.id)),
    FAILING_RULE,
  )
  await store.events.publishDrafts([eventDraft('u')])
  await sequenceAndLease(store, { limit: 100, worker: 'w', call: 1, leaseMs: LEASE_MS })
  await store.deliveries.releaseLeases({ of: 'calls', worker: 'w', calls: [1] })
  await store.deliveries.releaseLeases({ of: 'all' })
  await store.deliveries.releaseLeases({ of: 'worker', worker: 'w' })
  await store.deliveries.sweep()
  await store.deliveries.gauges()
}

function attempted(lane: LeasedLane, fails: boolean): LaneSettlement {
  const outcome = (index: number) => (!fails ? 'delivered' : index === 0 ? 'exhausted' : 'failed')
  const failed = fails ? lane.deliveries.slice(1) : []
  return {
    ...settled(lane),
    succeeded: !fails,
    failedAttempts: fails ? lane.deliveries.length : 0,
    attempts: lane.deliveries.map((delivery, index) => ({
      id: createId('att'),
      eventId: delivery.eventId,
      number: 1,
      outcome: outcome(index),
      status: fails ? 500 : 200,
      reason: fails ? 'status' : undefined,
      durationMs: 1,
      response: 'r',
    })),
    retries: failed.map(({ eventId }) => ({ eventId, attempts: 1, delayMs: 1e9, suspect: false, redacted: false })),
    subjects: lane.deliveries.flatMap(({ subject }) => subject ?? []),
  }
}

async function change(store: PostgresStore, ref: SubscriptionRef): Promise<void> {
  await reviseSubscription(store, ref, { targetUrl: 'https://other.example.com/', description: 'd' })
  await reviseSubscription(store, ref, { eventTypes: ['order.paid', 'order.refunded'] })
  await rotateSecret(store, ref, 't', 3_600_000)
  await store.subscriptions.replaceSealed(ref, 't', 'u')
  await store.subscriptions.sealedSecrets(undefined, 10)
  await skipToNow(store, ref)
  await startBackfill(store, ref, new Date(0))
  await leaseDue(store)
  await store.subscriptions.findBackfill(ref)
}

async function read(store: PostgresStore, ref: SubscriptionRef, tokenHash: Uint8Array<ArrayBuffer>): Promise<void> {
  await store.subscriptions.find(ref)
  await store.subscriptions.list('a', 'live')
  await store.subscriptions.typesInUse()
  const { events } = await store.events.pageEvents({
    accountId: 'a',
    mode: 'live',
    type: undefined,
    after: undefined,
    limit: 2,
    horizonMs: 1e12,
    personalData: true,
  })
  const event = { accountId: 'a', mode: 'live', eventId: events[0]?.id ?? '' } as const
  await store.events.find('a', 'live', event.eventId)
  await store.events.readFeed([
    {
      accountId: 'a',
      mode: 'live',
      types: ['order.paid'],
      start: { at: 'time', time: new Date(0) },
      limit: 2,
      horizonMs: 1e12,
      personalData: true,
    },
  ])
  await admit(store, tokenHash)
  const page = { before: undefined, limit: 10 }
  for (const state of STATES) await store.deliveryLog.page(ref, { ...page, state, type: undefined })
  await store.deliveryLog.find(ref, event.eventId)
  await store.deliveryLog.pageOfEvent(event, { ...page, state: undefined })
  await store.deliveryLog.attempts(ref, { ...page, eventId: undefined })
  await store.deliveryLog.attempts({ accountId: 'a', mode: 'live' }, { ...page, eventId: event.eventId })
  await store.deliveryLog.resend(ref, event.eventId, ENTRY)
  const range = {
    states: ['exhausted', 'retrying'],
    from: new Date(0),
    to: undefined,
    after: undefined,
    limit: 10,
  } as const
  await store.deliveryLog.countRange(ref, range)
  await store.deliveryLog.resendRange(ref, range, ENTRY)
  for (const state of ['active', 'disabled', 'failing', undefined] as const)
    await store.health.overview({
      accountId: 'a',
      mode: 'live',
      state,
      search: undefined,
      before: undefined,
      limit: 10,
    })
  await store.health.findWithHealth(ref)
  await store.health.history(ref)
  const { id: _, ...owner } = ref
  const trouble = { limit: 5, reasons: ['gone'], latelyMs: 60_000, lateMs: 0 } as const
  for (const whose of [undefined, owner]) await store.health.troubled({ ...trouble, owner: whose })
  await store.accounts.list({ after: '', limit: 5 })
}

async function maintain(store: PostgresStore, ref: SubscriptionRef): Promise<void> {
  const person = { accountId: 'a', mode: 'live', personId: 'p', personDigests: ['k1.p'] } as const
  await store.maintenance.eventsOfPerson(person, [], 10)
  const unattributed = { accountId: 'a', mode: 'live', current: [], after: undefined, limit: 1 } as const
  await store.maintenance.countUnattributed(unattributed)
  const { events } = await store.maintenance.eventsBefore({
    accountId: 'a',
    publishedBefore: new Date('9999-01-01'),
    current: [],
    after: undefined,
    limit: 1,
  })
  const { since } = await store.maintenance.openTransactions()
  await store.maintenance.erase(
    events.map(({ fingerprint, body, ...event }) => {
      return { ...event, from: fingerprint, fingerprint: 'erased.f', body, personDigest: 'k1.p' }
    }),
    since,
  )
  await store.maintenance.claimRetentionRound(1)
  let state = 'more'
  while (state === 'more') ({ state } = await store.maintenance.retain(HORIZONS, 10))
  await store.maintenance.expiredRanges(ref)
  await store.survey(1000)
}
