import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { engineOf } from '@callboard/core/engine'
import { type ReceiverProcess, startReceiverProcess } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { newCaller, orderPaidEvent } from '../arrange.ts'
import { facadeIt, type SampleCallboard } from '../on-each-store.ts'
import { postgresFixtures, type RealFixture } from '../stores.ts'
import { startWorkerChild } from '../worker-child.ts'

const HEALTHY = 20
const SAMPLES = 400
/** So many are not counted, because the first ones on a new schema take longer. */
const WARM_UP = 60
/** A latency of healthy accounts may be this many times as long with bad neighbours as without. */
const RATIO = 1.5
/** The p95 may always rise by this many milliseconds, because such a small rise proves nothing. */
const NOISE_MS = 20
/**
 * The highest latency in milliseconds that is allowed with neighbours. If `RATIO` times the highest latency without
 * neighbours is more, that is allowed.
 */
const LONGEST_MS = 1_000
/**
 * Hosts whose load keeps both cores busy. Healthy accounts then lose CPU time, but not their turn, so the test prints
 * their p95 and limits only their highest latency.
 */
const BUSY: readonly Host[] = ['failing', 'resetting', 'quick']

/** How a bad neighbour's host treats requests. */
type Host = 'silent' | 'refusing' | 'resetting' | 'slow' | 'failing' | 'quick' | 'remote'

/** Bad neighbours. Each account has this many subscriptions at one host, and this many events for all of them. */
interface Neighbours {
  readonly accounts: number
  readonly subscriptions: number
  readonly events: number
  readonly host: Host
}

/** Starts a host at `https://127.0.0.1:…` that accepts connections and then never answers, resets or refuses them. */
async function startDeadHost(kind: 'silent' | 'resetting' | 'refusing'): Promise<{ url: string; stop(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    if (kind === 'resetting') socket.resetAndDestroy()
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

/** How many subscriptions are created at the same time. */
const AT_ONCE = 20

const ROWS: Readonly<Record<string, readonly Neighbours[]>> = {
  'F30: 10,000 events for a refusing host and a silent one': [
    { accounts: 1, subscriptions: 1, events: 10_000, host: 'refusing' },
    { accounts: 1, subscriptions: 1, events: 10_000, host: 'silent' },
  ],
  'one account × 500 subscriptions at a host that never answers': [
    { accounts: 1, subscriptions: 500, events: 1, host: 'silent' },
  ],
  'four accounts × 250 subscriptions × 5 events at a host that never answers': [
    { accounts: 4, subscriptions: 250, events: 5, host: 'silent' },
  ],
  'four accounts × 250 subscriptions × 20 events at a host that answers in 1.9 s': [
    { accounts: 4, subscriptions: 250, events: 20, host: 'slow' },
  ],
  'three accounts × 250 subscriptions × 5 events at a host that answers 500': [
    { accounts: 3, subscriptions: 250, events: 5, host: 'failing' },
  ],
  'three accounts × 250 subscriptions × 5 events at a host that resets connections': [
    { accounts: 3, subscriptions: 250, events: 5, host: 'resetting' },
  ],
  'one account with 5,000 events over one subscription': [
    { accounts: 1, subscriptions: 1, events: 5_000, host: 'remote' },
  ],
  'one account with 10 events over 500 subscriptions': [{ accounts: 1, subscriptions: 500, events: 10, host: 'quick' }],
  'all of them': [
    { accounts: 1, subscriptions: 250, events: 5, host: 'silent' },
    { accounts: 1, subscriptions: 250, events: 5, host: 'slow' },
    { accounts: 1, subscriptions: 250, events: 5, host: 'failing' },
    { accounts: 1, subscriptions: 250, events: 5, host: 'resetting' },
    { accounts: 1, subscriptions: 250, events: 5, host: 'quick' },
  ],
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN

describe('bad neighbours', () => {
  let movedIn = 0
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

  const subscribe = async (callboard: SampleCallboard, accountId: string, targets: readonly string[]) => {
    const caller = await newCaller(callboard, { accountId })
    const { apiSubscriptions } = engineOf(callboard)
    for (let done = 0; done < targets.length; done += AT_ONCE)
      await Promise.all(
        targets
          .slice(done, done + AT_ONCE)
          .map((targetUrl) =>
            apiSubscriptions.create(caller, { targetUrl, eventTypes: ['order.paid'], integration: 'zapier' }),
          ),
      )
  }

  /** Starts the hosts. `urlOf` returns the URL of a path at a host. */
  const startHosts = async ({ fixture }: Street) => {
    const dead = {
      silent: await startDeadHost('silent'),
      resetting: await startDeadHost('resetting'),
      refusing: await startDeadHost('refusing'),
    }
    const answers = {
      slow: { delayMs: 1_900 },
      failing: { status: 500 },
      quick: {},
      // Answers with the delay of a network. Otherwise sending to this host would take up both cores.
      remote: { delayMs: 20 },
    }
    return {
      async urlOf(host: Host, path: string): Promise<string> {
        if (host in dead) return `${dead[host as keyof typeof dead].url}?${path}`
        await busy.answer(`/${fixture.schema}/${path}`, answers[host as keyof typeof answers])
        return busy.url(`/${fixture.schema}/${path}`)
      },
      stop() {
        for (const { stop } of Object.values(dead)) stop()
      },
    }
  }

  /** Creates the neighbours, whose events are all sequenced and pending when the worker starts. */
  const moveIn = async (
    { callboard }: Street,
    neighbours: readonly Neighbours[],
    urlOf: (host: Host, path: string) => Promise<string>,
  ): Promise<string[]> => {
    const moved: string[] = []
    for (const { accounts, subscriptions, events, host } of neighbours) {
      for (let n = 0; n < accounts; n++) {
        const accountId = `bad-${++movedIn}`
        moved.push(accountId)
        await callboard.accounts.create({ id: accountId, name: accountId })
        const targets = Array.from({ length: subscriptions }, (_, path) => urlOf(host, `${accountId}-${path}`))
        await subscribe(callboard, accountId, await Promise.all(targets))
        for (let left = events; left > 0; left -= 500)
          await callboard.publishMany(Array.from({ length: Math.min(left, 500) }, () => orderPaidEvent({ accountId })))
      }
    }
    while ((await engineOf(callboard).store.deliveries.sequence(500)).sequenced > 0);
    return moved
  }

  const moveOut = async ({ callboard }: Street, accounts: readonly string[]): Promise<void> => {
    for (const account of accounts) await callboard.accounts.delete({ id: account })
  }

  /** Measures, with a new worker, how many milliseconds events of the healthy accounts take from commit to arrival. */
  const measure = async ({ fixture, callboard, paths }: Street, samples = SAMPLES): Promise<readonly number[]> => {
    const worker = startWorkerChild({
      url: fixture.url,
      schema: fixture.schema,
      ca: `${receiver.ca}\n${busy.ca}`,
      pool: { max: 5 },
      worker: { graceMs: 500 },
    })
    await worker.started
    const committed = new Map<string, number>()
    const accounts = [...paths.keys()]
    const before = new Map(
      await Promise.all([...paths.values()].map(async (path) => [path, (await receiver.log(path)).length] as const)),
    )
    for (let sample = 0; sample < samples; sample++) {
      const accountId = accounts[sample % accounts.length] ?? ''
      const { id } = await callboard.publish(orderPaidEvent({ accountId }))
      committed.set(id, performance.timeOrigin + performance.now())
      await delay(8)
    }
    for (const path of paths.values()) await receiver.received(path, (before.get(path) ?? 0) + samples / HEALTHY)
    expect((await worker.look()).health).toMatchObject({ state: 'running', ok: true })
    // Stops gracefully, because a killed worker would leave lanes leased.
    worker.signal('SIGTERM')
    await worker.ended
    const log = await receiver.log()
    const latencies = log.flatMap(({ id, at }) => {
      const since = committed.get(id)
      return since === undefined ? [] : [Math.max(0, at - since)]
    })
    expect(latencies).toHaveLength(samples)
    return latencies
  }

  const open = { targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' } } as const

  // Retried, because another process can slow down one measurement. A fault of the worker slows down all of them.
  for (const [name, neighbours] of Object.entries(ROWS))
    it(`do not slow down healthy accounts: ${name}`, { retry: 2 }, async ({ fixture, open: facade }) => {
      const street = await build(fixture, facade(open))
      const hosts = await startHosts(street)
      const besideThem = async (): Promise<readonly number[]> => {
        const moved = await moveIn(street, neighbours, hosts.urlOf)
        const latencies = await measure(street)
        await moveOut(street, moved)
        return latencies
      }
      const alone: (readonly number[])[] = []
      const beside: (readonly number[])[] = []
      try {
        await measure(street, WARM_UP)
        // Once before and once after the usual latency is measured, in case the machine gets slower or faster meanwhile.
        beside.push(await besideThem())
        alone.push(await measure(street))
        beside.push(await besideThem())
      } finally {
        hosts.stop()
      }
      const told = (rounds: readonly (readonly number[])[]): string => {
        const all = rounds.flat()
        const values = [quantile(all, 0.5), quantile(all, 0.95), Math.max(...all)].map((value) => value.toFixed(1))
        return `${values.join(' / ')} ms`
      }
      process.stdout.write(`median / p95 / max beside ${name}: alone ${told(alone)}, beside ${told(beside)}\n`)
      expect(Math.max(...beside.flat())).toBeLessThanOrEqual(Math.max(LONGEST_MS, RATIO * Math.max(...alone.flat())))
      if (neighbours.some(({ host }) => BUSY.includes(host))) return
      const usual = quantile(alone.flat(), 0.95)
      expect(quantile(beside.flat(), 0.95)).toBeLessThanOrEqual(Math.max(RATIO * usual, usual + NOISE_MS))
    })
})
