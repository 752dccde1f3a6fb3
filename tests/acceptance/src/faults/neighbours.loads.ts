import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { engineOf } from '@callboard/core/engine'
import type { SubscriptionRef } from '@callboard/core/store'
import { type ReceiverProcess, startReceiverProcess } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { newCaller, orderPaidEvent } from '../arrange.ts'
import { facadeIt, type SampleCallboard } from '../on-each-store.ts'
import { postgresFixtures, type RealFixture } from '../stores.ts'
import { startWorkerChild } from '../worker-child.ts'

const HEALTHY = 20
const SAMPLES = 600
const ROUNDS = 3

/** A bad neighbour: an account with one subscription for each target, and with `events` events for all of them. */
interface Neighbour {
  readonly targets: readonly string[]
  readonly events: number
}

/** Starts a host at `https://127.0.0.1:…` that accepts connections and never answers, or refuses them. */
async function startDeadHost(kind: 'silent' | 'refusing'): Promise<{ url: string; stop(): void }> {
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const stop = (): void => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  if (kind === 'refusing') stop()
  return { url: `https://127.0.0.1:${address.port}/hook`, stop }
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN

describe('bad neighbours', () => {
  const it = facadeIt(postgresFixtures())
  let receiver: ReceiverProcess
  /**
   * The flooded host, in its own process so that healthy hosts do not wait for it. When all hosts shared one process,
   * the p95 of the healthy hosts was 2.3 times as long.
   */
  let busy: ReceiverProcess
  beforeAll(async () => {
    ;[receiver, busy] = await Promise.all([startReceiverProcess(), startReceiverProcess()])
  })
  afterAll(() => Promise.all([receiver.stop(), busy.stop()]))

  interface Street {
    readonly fixture: RealFixture
    readonly callboard: SampleCallboard
    readonly paths: ReadonlyMap<string, string>
  }

  /** Creates healthy accounts, each with one subscription. */
  const build = async (fixture: RealFixture, callboard: SampleCallboard): Promise<Street> => {
    const paths = new Map<string, string>()
    for (let index = 1; index <= HEALTHY; index++) {
      const accountId = `healthy-${index}`
      await callboard.accounts.create({ id: accountId, name: accountId })
      await subscribe(callboard, accountId, [receiver.url(`/${fixture.schema}/${accountId}`)])
      paths.set(accountId, `/${fixture.schema}/${accountId}`)
    }
    return { fixture, callboard, paths }
  }

  const subscribe = async (
    callboard: SampleCallboard,
    accountId: string,
    targets: readonly string[],
  ): Promise<SubscriptionRef[]> => {
    const caller = await newCaller(callboard, { accountId })
    const refs: SubscriptionRef[] = []
    for (const targetUrl of targets)
      refs.push(
        await engineOf(callboard).apiSubscriptions.create(caller, {
          targetUrl,
          eventTypes: ['order.paid'],
          integration: 'zapier',
        }),
      )
    return refs
  }

  /** Creates the neighbours, whose events are all sequenced and pending when the worker starts. */
  const moveIn = async ({ callboard }: Street, neighbours: readonly Neighbour[], round: number): Promise<void> => {
    for (const [index, { targets, events }] of neighbours.entries()) {
      const accountId = `bad-${round}-${index}`
      await callboard.accounts.create({ id: accountId, name: accountId })
      await subscribe(callboard, accountId, targets)
      for (let left = events; left > 0; left -= 500)
        await callboard.publishMany(Array.from({ length: Math.min(left, 500) }, () => orderPaidEvent({ accountId })))
    }
    while ((await engineOf(callboard).store.deliveries.sequence(500)) > 0);
  }

  const moveOut = async ({ callboard }: Street, neighbours: readonly Neighbour[], round: number): Promise<void> => {
    for (const index of neighbours.keys()) await callboard.accounts.delete(`bad-${round}-${index}`)
  }

  /** Measures, with a new worker, how many milliseconds events of the healthy accounts take from commit to arrival. */
  const measure = async ({ fixture, callboard, paths }: Street): Promise<readonly number[]> => {
    const worker = startWorkerChild({
      url: fixture.url,
      schema: fixture.schema,
      ca: `${receiver.ca}\n${busy.ca}`,
      pool: { max: 5 },
      worker: { deadlineMs: 2_000, leaseMs: 7_000, pollMs: 20, graceMs: 500 },
    })
    await worker.started
    const committed = new Map<string, number>()
    const accounts = [...paths.keys()]
    const before = new Map(
      await Promise.all([...paths.values()].map(async (path) => [path, (await receiver.log(path)).length] as const)),
    )
    for (let sample = 0; sample < SAMPLES; sample++) {
      const accountId = accounts[sample % accounts.length] ?? ''
      const { id } = await callboard.publish(orderPaidEvent({ accountId }))
      committed.set(id, performance.timeOrigin + performance.now())
      await delay(8)
    }
    for (const path of paths.values()) await receiver.received(path, (before.get(path) ?? 0) + SAMPLES / HEALTHY)
    expect((await worker.look()).health).toMatchObject({ state: 'running', ok: true })
    // Stops gracefully, because a killed worker would leave lanes leased.
    worker.signal('SIGTERM')
    await worker.ended
    const log = await receiver.log()
    const latencies = log.flatMap(({ id, at }) => {
      const since = committed.get(id)
      return since === undefined ? [] : [Math.max(0, at - since)]
    })
    expect(latencies).toHaveLength(SAMPLES)
    return latencies
  }

  /** Returns the ratio of latencies with bad neighbours to latencies without them, from alternating rounds. */
  const compare = async (
    name: string,
    street: Street,
    neighbours: readonly Neighbour[],
  ): Promise<{ readonly median: number; readonly p95: number }> => {
    const alone: (readonly number[])[] = []
    const beside: (readonly number[])[] = []
    await measure(street)
    for (let round = 1; round <= ROUNDS; round++) {
      alone.push(await measure(street))
      await moveIn(street, neighbours, round)
      beside.push(await measure(street))
      await moveOut(street, neighbours, round)
    }
    const ratioOf = (title: string, share: number): number => {
      const told = (rounds: typeof alone): string =>
        `${rounds.map((each) => quantile(each, share).toFixed(1)).join(', ')} ms, together ${quantile(rounds.flat(), share).toFixed(1)} ms`
      const ratio = quantile(beside.flat(), share) / quantile(alone.flat(), share)
      process.stdout.write(
        `${name}: ${title} alone ${told(alone)}, beside ${told(beside)}, ratio ${ratio.toFixed(2)}\n`,
      )
      return ratio
    }
    return { median: ratioOf('median', 0.5), p95: ratioOf('p95', 0.95) }
  }

  const open = { targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' } } as const

  it('F30: at most double the p95 latency of others, with 10,000 events for a refusing and a silent host', async ({
    fixture,
    open: facade,
  }) => {
    const [silent, refusing] = [await startDeadHost('silent'), await startDeadHost('refusing')]
    try {
      const street = await build(fixture, facade(open))
      const dead: Neighbour = { targets: [silent.url, refusing.url], events: 10_000 }
      expect((await compare('F30', street, [dead])).p95).toBeLessThan(2)
    } finally {
      silent.stop()
    }
  })

  it('at most double the p95 latency of healthy accounts, if one target is flooded, one hangs and one refuses', async ({
    fixture,
    open: facade,
  }) => {
    const [silent, refusing] = [await startDeadHost('silent'), await startDeadHost('refusing')]
    const flooded = `/${fixture.schema}/flooded`
    try {
      const street = await build(fixture, facade(open))
      // This host answers with the delay of a network. Otherwise sending to it would take up both cores, and slots
      // limit how many subscriptions are served at once, not how much CPU time each one takes.
      await busy.answer(flooded, { delayMs: 20 })
      const neighbours: readonly Neighbour[] = [
        { targets: [busy.url(flooded)], events: 5_000 },
        { targets: [silent.url], events: 500 },
        { targets: [refusing.url], events: 500 },
      ]
      expect((await compare('mixed load', street, neighbours)).p95).toBeLessThan(2)
      expect((await busy.log(flooded)).length).toBeGreaterThan(ROUNDS * SAMPLES)
    } finally {
      silent.stop()
    }
  })

  // Slots are not divided between accounts. When 100 lanes start to hang, they fill the slots for twice `patienceMs`.
  // In trials, the p95 latency of other accounts then varied between 1 and 12 times its usual value, so it is only
  // printed.
  it('at most double the median latency of other accounts, with 100 subscriptions at a silent host', async ({
    fixture,
    open: facade,
  }) => {
    const silent = await startDeadHost('silent')
    try {
      const street = await build(fixture, facade(open))
      const targets = Array.from({ length: 100 }, (_, number) => `${silent.url}?${number}`)
      const ratios = await compare('100 subscriptions at a silent host', street, [{ targets, events: 100 }])
      expect(ratios.median).toBeLessThan(2)
    } finally {
      silent.stop()
    }
  })
})
