import assert from 'node:assert/strict'
import type { DueLane } from '@callboard/core/store'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Simulated,
  type SimulatedHost,
  type SimulatedLane,
  type Simulation,
  simulate,
} from '../../test/simulation.ts'

/*
 * The properties of the scheduler, for random accounts, lanes, hosts and durations. `simulate` checks the first four
 * after every event, and the fifth at the end.
 *
 * 1. No account waits while another gets more than its share: each lane with a reservation belongs to the account
 *    whose turn comes next, among the accounts with a lane that may start. Of that account's lanes that may start, it is
 *    the oldest one.
 * 2. Nothing is idle while something may be sent: after `reserve`, no waiting lane may start.
 * 3. A host never has more open requests than its limit allows, except for one request that finds out whether the host
 *    still answers.
 * 4. The scheduler's counts match the visits in progress.
 * 5. Every lane is sent to in the end.
 * 6. In the end, all slots and requests have been released.
 * 7. An account that holds no slot gets a quick slot at once, unless quick visits of other accounts hold all of
 *    these slots.
 */

/** A record that fast-check prints as an ordinary object. */
function record<T>(model: { [Key in keyof T]: fc.Arbitrary<T[Key]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true })
}

/** Limits the time of a run, because the search for a shorter counterexample can take very long. */
const LIMIT = { interruptAfterTimeLimit: 45_000, markInterruptAsFailure: true }

const ACCOUNTS = 5
const HOSTS = 6
/** The number of the first newcomer (see property 7), and the host that answers all newcomers. */
const NEWCOMER = 100
const NEWCOMERS_HOST = HOSTS

const host: fc.Arbitrary<SimulatedHost> = record({
  capacity: fc.integer({ min: 1, max: 12 }),
  phases: fc.array(
    record({
      forMs: fc.integer({ min: 1, max: 2_000 }),
      tookMs: fc.constantFrom(1, 5, 20, 100, 240, 260, 400, 1_000),
      does: fc.constantFrom('answer', 'answer', 'answer', 'refuse', 'fail', 'hang'),
    }),
    { maxLength: 4 },
  ),
})

/** When the hosts of {@link trap} stop answering. */
const SNAP_MS = 400

/** A host that first answers quickly, so that the worker raises its limit, and then lets every request hang. */
const trap: fc.Arbitrary<SimulatedHost> = record({
  capacity: fc.constant(100),
  phases: fc.constant([
    { forMs: SNAP_MS, tookMs: 5, does: 'answer' as const },
    { forMs: 2_000, tookMs: 5, does: 'hang' as const },
  ]),
})

const lane = ({ handedOver }: { handedOver: boolean }): fc.Arbitrary<SimulatedLane> =>
  record({
    at: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 3_000 })),
    account: fc.nat({ max: ACCOUNTS - 1 }),
    host: fc.nat({ max: HOSTS - 1 }),
    deliveries: fc.constantFrom(0, 1, 1, 2, 5, 10),
    hangs: fc.constantFrom(false, false, false, false, true),
    lost: fc.constantFrom(0, 0, 0, 0, 1, 2),
    retries: fc.nat({ max: 2 }),
    handedOver: handedOver ? fc.boolean() : fc.constant(false),
  })

const anything: fc.Arbitrary<Simulated> = record({
  options: record({
    lanes: fc.integer({ min: 1, max: 6 }),
    slowLanes: fc.integer({ min: 1, max: 12 }),
    perSubscription: fc.integer({ min: 1, max: 10 }),
    perHost: fc.integer({ min: 1, max: 40 }),
    patienceMs: fc.constant(250),
  }),
  hosts: fc.array(host, { minLength: HOSTS, maxLength: HOSTS }),
  lanes: fc.array(lane({ handedOver: true }), { maxLength: 60, size: 'max' }),
  addresses: fc.option(fc.integer({ min: 1, max: HOSTS }), { nil: undefined }),
})

const visitOf = (lane: Pick<SimulatedLane, 'at' | 'account' | 'host'>): SimulatedLane => {
  return { ...lane, deliveries: 1, hangs: false, lost: 0, retries: 0, handedOver: false }
}

/**
 * Lanes of several accounts to the same hosts. The first half make the worker raise the limits of the hosts. The other
 * half become due all at once.
 */
const traps = (accounts: number): SimulatedLane[] =>
  Array.from({ length: accounts * HOSTS * 16 }, (_, n) => {
    const at = n % 16 < 8 ? (n % 16) * 30 : SNAP_MS
    return visitOf({ at, account: n % accounts, host: Math.floor(n / 16) % HOSTS })
  })

const freshLane = (accountId: string, n: number): DueLane => {
  return { accountId, mode: 'live', id: `fresh ${n}`, host: `${accountId} ${n}`, slow: false, dueAt: n, epoch: 1 }
}

describe('the scheduler, whatever accounts and hosts do', () => {
  it('shares slots and hosts by its rules, and has released everything at the end', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (simulated) => {
        const { scheduler } = await simulate(simulated)
        const { lanes, slowLanes } = simulated.options
        expect(scheduler.state()).toEqual({ sending: 0, waiting: 0, accounts: 0 })
        expect(scheduler.handedOver()).toEqual({ lanes: Math.min(lanes, 4), leaveOut: [], leaveOutHosts: [] })
        if (simulated.addresses !== undefined) return
        for (const accountId of new Set(simulated.lanes.map(({ account }) => `account ${account}`))) {
          scheduler.offer(Array.from({ length: slowLanes }, (_, n) => freshLane(accountId, n)))
          const half = scheduler.reserve(slowLanes)
          expect(half).toHaveLength(Math.ceil(slowLanes / 2))
          for (const { cancel } of half) cancel()
          // Empties the queue before the next account.
          for (let rest = scheduler.reserve(1); rest.length > 0; rest = scheduler.reserve(1)) rest[0]?.cancel()
        }
      }),
      { numRuns: 200, ...LIMIT },
    )
  })

  it('never lets other accounts keep a new account from a quick slot', async () => {
    const flood = record<Simulated>({
      options: record({
        lanes: fc.integer({ min: 4, max: 8 }),
        slowLanes: fc.integer({ min: 28, max: 40 }),
        perSubscription: fc.constant(10),
        perHost: fc.constant(500),
        patienceMs: fc.constant(250),
      }),
      hosts: fc.array(fc.oneof(host, trap, trap), { minLength: HOSTS, maxLength: HOSTS }),
      lanes: fc
        .tuple(
          fc.array(lane({ handedOver: false }), { minLength: 30, maxLength: 150, size: 'max' }),
          fc.array(fc.integer({ min: SNAP_MS, max: 3 * SNAP_MS }), { minLength: 1, maxLength: 6 }),
          fc.nat({ max: 2 }),
        )
        .map(([others, newcomers, attackers]) => [
          ...others,
          ...traps(attackers),
          ...[0, ...newcomers].map((at, n) => visitOf({ at, account: NEWCOMER + n, host: NEWCOMERS_HOST })),
        ]),
      addresses: fc.constant(undefined),
    })
    const check = ({ model, now }: Simulation): void => {
      for (const { accountId, host: name } of model.queue) {
        const limit = model.limitOf(name)
        if (name !== `h${NEWCOMERS_HOST}` || !limit.isQuick() || model.open(name) >= limit.limit()) continue
        assert.ok(model.areQuickSlotsBusy(), `${accountId} waits at ${now()}`)
      }
    }
    await fc.assert(
      fc.asyncProperty(flood, async (simulated) => {
        await simulate(
          { ...simulated, hosts: [...simulated.hosts, { capacity: 100, phases: [] }] },
          { onReserved: check },
        )
      }),
      { numRuns: 50, ...LIMIT },
    )
  })
})
