import { setTimeout as delay } from 'node:timers/promises'
import { engineOf } from '@callboard/core/engine'
import { createHttpsTransport, runUntilIdle, startWorker, type Worker } from '@callboard/delivery'
import { expect, type TestContext } from 'vitest'
import { orderPaidEvent } from '../arrange.ts'
import { PATIENT } from '../worker-child.ts'
import { describeFaults, type FaultWorld } from './fault-world.ts'
import { type StallingCall, type StallingCallOptions, startStallingChild } from './stalling-child.ts'

/** How many accounts publish while a process is stopped. */
const OTHERS = 50
/**
 * The longest that the other accounts may wait, although they usually wait a tenth of a second. If they have to wait for
 * a lock of the stopped process, it is longer: the server ends idle transactions after 5 s, and never ends a statement
 * whose answer nobody reads.
 */
const WAIT_MS = 4_000
const APPLICATION = 'stalling'

interface Stalls {
  /** The transactions of the process that have written or locked rows, and wait for the process. */
  open(): Promise<OpenTransaction[]>
  /**
   * Begins a call in a process that then stops itself. Returns its open transactions; undefined if the call ended before
   * the process stopped.
   */
  stall(options: StallingCallOptions): Promise<OpenTransaction[] | undefined>
  /**
   * Publishes an event of each account, and runs a worker until those of the other accounts are delivered. Returns the
   * milliseconds that it took, or `too late`.
   */
  deliverToOthers(): Promise<number | 'too late'>
  /** Lets the stopped process continue, and waits for the end of its call. */
  finish(): Promise<void>
}

interface OpenTransaction {
  readonly id: string
  readonly waits: string
}

async function prepareStalls(world: FaultWorld, onTestFinished: TestContext['onTestFinished']): Promise<Stalls> {
  const { callboard, receiver } = world
  const url = new URL(world.url)
  url.searchParams.set('application_name', APPLICATION)
  const child = startStallingChild({ url: url.href, ca: receiver.ca })
  onTestFinished(() => child.kill())
  const accounts = Array.from({ length: OTHERS }, (_, index) => `other-${index}`)
  await Promise.all(accounts.map((id) => callboard.accounts.create({ id, name: id })))
  const paths = await Promise.all(accounts.map(async (id) => (await world.subscribe(undefined, id)).path))
  const second = world.open({ pool: { max: 10 } }).callboard
  const transport = createHttpsTransport({
    addressPolicy: engineOf(second).targets,
    deadlineMs: PATIENT.deadlineMs,
    extraCaCertificates: [receiver.ca],
  })
  onTestFinished(() => transport.close())
  let worker: Worker | undefined
  let rounds = 0

  /** The server's sessions of the child that still work for it. */
  const busy = async (): Promise<unknown[]> => {
    const text = `select from pg_stat_activity where application_name = $1 and state = 'active' and wait_event_type is distinct from 'Client'`
    return (await world.query(text, [APPLICATION])).rows
  }
  const open = async (): Promise<OpenTransaction[]> => {
    const { rows } = await world.query(
      `select backend_xid::text as id, concat_ws(' ', state, wait_event, query) as waits from pg_stat_activity
where application_name = $1 and backend_xid is not null and (state <> 'active' or wait_event = 'ClientWrite')`,
      [APPLICATION],
    )
    return rows.map(({ id, waits }) => ({ id: String(id), waits: String(waits) }))
  }
  return {
    open,
    async stall(options) {
      if (!(await child.begin(options))) return undefined
      await expect.poll(busy, { timeout: 20_000, interval: 5 }).toEqual([])
      return open()
    },
    async deliverToOthers() {
      worker = await startWorker(second, { ...PATIENT, pollMs: 20, transport })
      const since = performance.now()
      rounds++
      await callboard.publish(orderPaidEvent())
      await Promise.all(accounts.map((accountId) => callboard.publish(orderPaidEvent({ accountId }))))
      const delivered = Promise.all(paths.map((path) => receiver.received(path, rounds)))
      const late = new AbortController()
      const inTime = await Promise.race([
        delivered.then(() => true),
        delay(WAIT_MS, false, { signal: late.signal }).catch(() => false),
      ])
      late.abort()
      return inTime ? performance.now() - since : 'too late'
    },
    async finish() {
      await child.finish()
      await worker?.stop()
    },
  }
}

/** Stops a process at each of the requests that a call makes to the database. Expects that nobody else notices. */
async function stallAtEachRequest(
  stalls: Stalls,
  call: StallingCall,
  prepare: () => Promise<Subject>,
  mayHold = false,
): Promise<void> {
  const waits: number[] = []
  for (let requests = 1; ; requests++) {
    const open = await stalls.stall({ call, ...(await prepare()), stopsAt: { requests } })
    if (open === undefined) break
    const ms = await stalls.deliverToOthers()
    await stalls.finish()
    expect({ requests, ms, open: mayHold ? [] : open }).toEqual({ requests, ms: expect.any(Number), open: [] })
    waits.push(Number(ms))
  }
  expect(waits).not.toEqual([])
  process.stdout.write(
    `${call}: stopped at ${waits.length} requests; others waited at most ${Math.round(Math.max(...waits))} ms\n`,
  )
}

type Subject = Omit<StallingCallOptions, 'call' | 'stopsAt'>

let paths = 0

/** Creates a subscription of `acc` whose target fails once, and publishes an event. */
async function subscribeAndPublish({ callboard, receiver, publish }: FaultWorld): Promise<Subject> {
  const path = `/stalled/${++paths}`
  await receiver.answer(path, { status: 500 }, {})
  const input = { targetUrl: receiver.url(path), eventTypes: ['order.paid'], integration: 'other' }
  const { id } = await callboard.subscriptions.create({ accountId: 'acc', ...input })
  const [eventId = ''] = await publish()
  return { ref: { accountId: 'acc', id }, targetUrl: receiver.url(`${path}/other`), eventId }
}

/** Also sends the event, so that the subscription has a delivery that is retried in an hour. */
async function subscribeAndFail(world: FaultWorld): Promise<Subject> {
  const subject = await subscribeAndPublish(world)
  await runUntilIdle(world.callboard, {
    deadlineMs: 60_000,
    retrySchedule: [3_600_000],
    extraCaCertificates: [world.receiver.ca],
  })
  return subject
}

/** Also creates the subscription at `targetUrl`, as the call will do again. */
async function subscribeTwice(world: FaultWorld): Promise<Subject> {
  const subject = await subscribeAndFail(world)
  const { targetUrl } = subject
  const input = { targetUrl, eventTypes: ['order.paid'], integration: 'other', idempotencyKey: targetUrl }
  await world.callboard.subscriptions.create({ accountId: 'acc', ...input })
  return subject
}

/** Sequences the event, and then lets a month pass, so that retention ends its delivery. */
async function subscribeAndWait(world: FaultWorld): Promise<Subject> {
  const subject = await subscribeAndPublish(world)
  await engineOf(world.callboard).store.deliveries.sequence(1_000)
  await world.advance(31 * 86_400_000)
  await world.query(`update callboard.retention set task = 'events', account_id = '', mode = ''`)
  return subject
}

let accounts = 0

async function subscribeInNewAccount({ callboard, subscribe, publish }: FaultWorld): Promise<Subject> {
  const id = `deleted-${++accounts}`
  await callboard.accounts.create({ id, name: id })
  const { id: subscription } = await subscribe(undefined, id)
  const [eventId = ''] = await publish(1, { accountId: id })
  return { ref: { accountId: id, id: subscription }, targetUrl: '', eventId }
}

async function subscribeAndDisable(world: FaultWorld): Promise<Subject> {
  const subject = await subscribeAndFail(world)
  await world.callboard.subscriptions.disable({ ...subject.ref, by: 'platform' })
  return subject
}

/** A case that fails holds a lock between two requests, or while it sends rows. */
interface Stall {
  readonly does: string
  readonly fails?: boolean
}

interface Change extends Stall {
  readonly call: StallingCall
  readonly prepare?: typeof subscribeAndFail
  /** Whether the call may hold locks for which no other account waits. */
  readonly mayHold?: boolean
}

const CHANGES: readonly Change[] = [
  { call: 'create', does: 'creates a subscription' },
  { call: 'create', does: 'creates a subscription again', prepare: subscribeTwice },
  { call: 'enable', does: 'enables a subscription', prepare: subscribeAndDisable },
  { call: 'disable', does: 'disables a subscription' },
  { call: 'skipToNow', does: 'skips to now' },
  { call: 'changeTypes', does: 'changes the types of a subscription' },
  { call: 'changeTarget', does: 'changes the target of a subscription' },
  { call: 'setOrdering', does: 'sets an ordering' },
  { call: 'remove', does: 'removes a subscription' },
  { call: 'resend', does: 'resends a delivery' },
  { call: 'resendRange', does: 'resends a range of deliveries' },
  { call: 'deleteAccount', does: 'deletes an account', prepare: subscribeInNewAccount, mayHold: true },
  { call: 'retain', does: 'removes old events', prepare: subscribeAndWait },
]

const DELIVERIES: readonly (Stall & { readonly ordering: 'none' | 'subject' })[] = [
  { ordering: 'none', does: 'sequences, leases and settles' },
  { ordering: 'subject', does: 'sequences, leases and settles in the order of subjects' },
]

const BODIES: readonly (Stall & Bodies & { readonly call: 'lease' | 'sequence' })[] = [
  { call: 'lease', events: 10, kib: 10, does: 'leases 640 bodies of 10 KiB' },
  { call: 'lease', events: 2, kib: 250, does: 'leases 128 bodies of 250 KiB' },
  { call: 'sequence', events: 1, kib: 250, does: 'sequences and leases 64 bodies of 250 KiB' },
]

describeFaults('a stopped process holds up nobody else', (it) => {
  const caseOf = ({ fails = false }: Stall): typeof it.fails => (fails ? it.fails : it)

  for (const each of CHANGES) {
    const { call, does, prepare = subscribeAndFail, mayHold } = each
    caseOf(each)(`while it ${does}`, async ({ world, onTestFinished }) => {
      const stalls = await prepareStalls(world, onTestFinished)
      await stallAtEachRequest(stalls, call, () => prepare(world), mayHold)
    })
  }

  for (const each of DELIVERIES) {
    caseOf(each)(`while it ${each.does}`, async ({ world, onTestFinished }) => {
      const stalls = await prepareStalls(world, onTestFinished)
      const subject = await subscribeAndPublish(world)
      await world.callboard.subscriptions.setOrdering({ ...subject.ref, ordering: each.ordering })
      await stallAtEachRequest(stalls, 'deliver', async () => {
        await world.publish(3)
        return subject
      })
    })
  }

  for (const each of BODIES) {
    caseOf(each)(`while it ${each.does}`, async ({ world, onTestFinished }) => {
      const stalls = await prepareStalls(world, onTestFinished)
      await world.subscribeMany(64)
      await publishLarge(world, each)
      const open = await stalls.stall({ call: each.call, ...NO_SUBJECT, stopsAt: { bytes: 300_000 } })
      const ms = await stalls.deliverToOthers()
      await stalls.finish()
      expect({ ms, open }).toEqual({ ms: expect.any(Number), open: [] })
    })
  }
})

interface Bodies {
  readonly events: number
  readonly kib: number
}

const NO_SUBJECT: Subject = { ref: { accountId: 'acc', id: '' }, targetUrl: '', eventId: '' }

/** Publishes events of `acc` with texts of this size. */
async function publishLarge(
  { callboard }: FaultWorld,
  { events, kib }: { events: number; kib: number },
): Promise<void> {
  const data = { order: { id: 'ord_1', buyer: { entity_id: 'per_1' }, note: 'x'.repeat(kib * 1024) } }
  await callboard.publishMany(Array.from({ length: events }, () => orderPaidEvent({ data })))
}

describeFaults('the transactions of a worker', (it) => {
  for (const ordering of ['none', 'subject']) {
    it(`never wait for the worker while they hold locks, with the ordering ${ordering}`, async ({
      world,
      onTestFinished,
    }) => {
      const stalls = await prepareStalls(world, onTestFinished)
      await world.subscribeMany(20)
      await world.query('update callboard.subscriptions set ordering = $1', [ordering])
      await publishLarge(world, { events: 100, kib: 10 })
      let drained = false
      const stalled = stalls.stall({ call: 'deliver', ...NO_SUBJECT, stopsAt: { requests: Number.MAX_SAFE_INTEGER } })
      const drain = stalled.finally(() => {
        drained = true
      })
      const seen = new Set<string>()
      let before: readonly OpenTransaction[] = []
      while (!drained) {
        const open = await stalls.open()
        // The columns of a session are not read at one instant, so a single look can be wrong.
        for (const { id, waits } of open) if (before.some((each) => each.id === id)) seen.add(waits)
        before = open
      }
      await drain
      expect([...seen]).toEqual([])
    })
  }
})
