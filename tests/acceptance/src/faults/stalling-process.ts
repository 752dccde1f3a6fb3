// The process of `startStallingChild`: stops itself with SIGSTOP at a chosen point of a call.
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { createCallboard, isCallboardError } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { runUntilIdle } from '@callboard/delivery'
import { createPostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import type { SampleCallboard } from '../on-each-store.ts'
import { catalog } from '../sample-catalog.ts'
import type {
  StallingAnswer,
  StallingAsk,
  StallingCall,
  StallingCallOptions,
  StallingChildOptions,
} from './stalling-child.ts'

const INPUT = { eventTypes: ['order.paid'], integration: 'other' }
const OTHER_TYPES = ['order.paid', 'attendee.checked_in']
/** The types of the messages Query and Sync, each of which ends a request (PostgreSQL, "Message Formats"). */
const REQUEST_ENDS: readonly number[] = [0x51, 0x53]

let stopsAt: StallingCallOptions['stopsAt'] | undefined
let requests = 0

/** Stops this process, after telling its parent. */
function stop(): void {
  // Requests can be sent on two connections in one tick.
  if (stopsAt === undefined) return
  stopsAt = undefined
  writeSync(1, 'stopped\n')
  process.kill(process.pid, 'SIGSTOP')
}

/** A connection to the database that counts the requests of all connections, and the bytes of its own answer. */
function countingSocket(): Socket {
  const socket = new Socket()
  let bytes = 0
  const count = (message: unknown): void => {
    if (!(message instanceof Uint8Array && REQUEST_ENDS.includes(message[0] ?? 0))) return
    bytes = 0
    requests++
    // By the next tick, the client has handed the message to the operating system.
    if (stopsAt !== undefined && 'requests' in stopsAt && requests >= stopsAt.requests) process.nextTick(stop)
  }
  // `connect` would undo this change.
  socket.once('connect', () => {
    const { write } = socket
    const counting = (...values: Parameters<typeof write>): boolean => {
      count(values[0])
      return Reflect.apply(write, socket, values)
    }
    Object.assign(socket, { write: counting })
  })
  socket.on('data', (chunk) => {
    bytes += chunk.length
    if (stopsAt !== undefined && 'bytes' in stopsAt && bytes > stopsAt.bytes) stop()
  })
  return socket
}

function callsOf(
  callboard: SampleCallboard,
  ca: string,
): Readonly<Record<StallingCall, (options: StallingCallOptions) => Promise<unknown>>> {
  const { subscriptions, deliveries } = callboard
  const { deliveries: store } = engineOf(callboard).store
  const request = { worker: randomUUID(), call: 1, leaseMs: 60_000 }
  return {
    async lease() {
      await store.sequence(1_000)
      const { lanes } = await store.due({ limit: 1_000, after: undefined })
      await store.lease({ ...request, lanes: lanes.map((lane) => ({ ...lane, room: 10 })) })
    },
    sequence: () => store.sequence(1_000, { ...request, lanes: 64, leaveOut: [], leaveOutHosts: [] }),
    deliver: () =>
      runUntilIdle(callboard, { deadlineMs: 60_000, retrySchedule: [3_600_000], extraCaCertificates: [ca] }),
    create: ({ ref: { accountId }, targetUrl }) =>
      subscriptions.create({ accountId, ...INPUT, targetUrl, idempotencyKey: targetUrl }),
    enable: ({ ref }) => subscriptions.enable({ ...ref, by: 'platform' }),
    disable: ({ ref }) => subscriptions.disable({ ...ref, by: 'platform' }),
    skipToNow: ({ ref }) => subscriptions.skipToNow(ref),
    changeTypes: ({ ref }) => subscriptions.change({ ...ref, eventTypes: OTHER_TYPES }),
    changeTarget: ({ ref, targetUrl }) => subscriptions.change({ ...ref, targetUrl }),
    setOrdering: ({ ref }) => subscriptions.setOrdering({ ...ref, ordering: 'subject' }),
    remove: ({ ref }) => subscriptions.remove({ ...ref, by: 'platform' }),
    resend: ({ ref, eventId }) => deliveries.resend({ ...ref, subscriptionId: ref.id, eventId }),
    deleteAccount: ({ ref }) => callboard.accounts.delete({ id: ref.accountId }),
    retain: () => callboard.retention.run({ steps: 1 }),
    resendRange: ({ ref }) => deliveries.resendRange({ ...ref, subscriptionId: ref.id, from: new Date(0) }),
  }
}

function run({ url, ca, k1 }: StallingChildOptions): void {
  const pool = new Pool({ connectionString: url, max: 3, stream: countingSocket })
  const callboard = createCallboard({
    catalog,
    store: createPostgresStore({ pool }),
    secretKeys: { current: 'k1', keys: { k1 } },
    targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
    maxNewSubscriptionsPerMinute: 10_000,
    maxChangesPerMinute: 10_000,
  })
  const calls = callsOf(callboard, ca)
  const answer = (error: string | null): void => void process.send?.({ error } satisfies StallingAnswer)
  process.on('message', (options: StallingCallOptions) => {
    requests = 0
    stopsAt = options.stopsAt
    calls[options.call](options).then(
      () => answer(null),
      (error) => answer(isCallboardError(error) ? error.code : String(error)),
    )
  })
}

process.once('message', (options: StallingAsk) => 'url' in options && run(options))
// The process ends when its test does.
process.once('disconnect', () => process.exit())
