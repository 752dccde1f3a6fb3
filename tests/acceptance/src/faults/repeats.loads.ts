import { expect } from 'vitest'
import { describeFaults, type FaultWorld } from './fault-world.ts'

/** The accounts, each with one subscription. */
const ACCOUNTS = 50
/** From this many events for each account, the worker learns how many requests the host can take. */
const LEARNT_FROM = 40
/** The events of each account that are published while the worker delivers. */
const EVENTS = 40
const PUBLISHERS = 16

/** How long an answer takes, in milliseconds. */
const delayMs = (): number => 5 + Math.round(495 * Math.random())

interface Target {
  readonly accountId: string
  readonly path: string
  /** The delay of each answer. */
  readonly delays: readonly number[]
}

async function addTarget({ callboard, receiver, subscribe }: FaultWorld, n: number): Promise<Target> {
  const accountId = `acc_${n}`
  await callboard.accounts.create({ id: accountId, name: accountId })
  const { path } = await subscribe(undefined, accountId)
  const delays = Array.from({ length: LEARNT_FROM + 2 * EVENTS }, delayMs)
  await receiver.answer(path, ...delays.map((each) => ({ delayMs: each })))
  return { accountId, path, delays }
}

/** Publishes the events one by one, each in its own transaction, as the requests of a platform do. */
async function publishOneByOne({ publish }: FaultWorld, targets: readonly Target[]): Promise<void> {
  let published = 0
  const publisher = async (): Promise<void> => {
    while (published < EVENTS * targets.length)
      await publish(1, { accountId: targets[published++ % targets.length]!.accountId })
  }
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher))
}

describeFaults('a worker that is killed while 2,000 events are published', (it) => {
  // On two busy cores, 17 to 27 were repeated, the first of them answered 33 ms before; 190 to 240 and 490 ms if a visit
  // is settled only as a whole. The limits leave room for a machine that does other things too.
  it('repeats at most 60 that were answered after 5 to 500 ms, and none that was long before', {
    retry: 2,
  }, async ({ world }) => {
    const { receiver } = world
    const targets = await Promise.all(Array.from({ length: ACCOUNTS }, (_, n) => addTarget(world, n)))
    const worker = await world.work()
    for (const { accountId } of targets) await world.publish(LEARNT_FROM, { accountId })
    await world.quiet()

    const publishing = publishOneByOne(world, targets)
    await receiver.received(targets[0]!.path, LEARNT_FROM + Math.round(EVENTS / 3))
    worker.signal('SIGKILL')
    const killedAt = Date.now()
    await worker.ended
    await world.work()
    await publishing
    await world.quiet()

    /** For each delivery that was answered and sent again: how long before the kill the answer came. */
    const ages: number[] = []
    let unanswered = 0
    for (const { path, delays } of targets) {
      const log = await receiver.log(path)
      for (const [index, { id, at }] of log.entries()) {
        if (!log.slice(index + 1).some((later) => later.id === id)) continue
        const age = killedAt - at - delays[index]!
        if (age > 0) ages.push(age)
        else unanswered++
      }
    }
    const oldest = Math.round(Math.max(0, ...ages))
    process.stdout.write(
      `kill -9, answers after 5 to 500 ms: repeated ${unanswered} that were not answered and ${ages.length} that were, the first of these ${oldest} ms before\n`,
    )
    await world.invariants({ unsettled: ages.length + unanswered, crashes: 1 })
    expect(ages.length).toBeLessThanOrEqual(60)
    expect(oldest).toBeLessThanOrEqual(250)
  })
})
