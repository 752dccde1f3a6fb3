import { startHandshakeGate } from '@callboard/testbed'
import { expect } from 'vitest'
import { PATIENT, type WorkerChild } from '../worker-child.ts'
import { describeFaults, type FaultWorld } from './fault-world.ts'

/** Number and outcome of every recorded attempt. */
async function attempts({ query }: FaultWorld): Promise<unknown[]> {
  return (await query('select number::int as number, outcome from callboard.attempts order by id')).rows
}

/** Sends SIGTERM and waits until the worker is stopping. */
async function terminate(worker: WorkerChild): Promise<void> {
  worker.signal('SIGTERM')
  await expect.poll(async () => (await worker.look()).health.state).toBe('stopping')
}

describeFaults('a worker that gets a signal', (it) => {
  it('F1: kill -9 before it sends: another worker sends one copy', async ({ world }) => {
    const { path } = await world.subscribe()
    await world.publish()
    const killed = await world.work({ worker: PATIENT, strikes: [{ at: 'before send', does: 'kill' }] })
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
    const next = await world.work({ worker: PATIENT })
    await world.receiver.received(path)
    await world.quiet()
    const ledger = await world.invariants({ crashes: 1, survivors: [next] })
    expect(ledger).toMatchObject({ owed: 1, delivered: 1, repeated: 0 })
    expect(await world.receiver.log(path)).toHaveLength(1)
  })

  it('F3: kill -9 after the 2xx but before it is recorded: exactly one byte-for-byte identical repeat is sent', async ({
    world,
  }) => {
    const { path } = await world.subscribe()
    await world.publish()
    const killed = await world.work({ worker: PATIENT, strikes: [{ at: 'after response', does: 'kill' }] })
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
    const next = await world.work({ worker: PATIENT })
    await world.receiver.received(path, 2)
    await world.quiet()
    const ledger = await world.invariants({ unsettled: 1, crashes: 1, survivors: [next] })
    expect(ledger).toMatchObject({ owed: 1, delivered: 1, repeated: 1 })
    const [first, second] = await world.receiver.log(path)
    expect(second).toMatchObject({ id: first?.id, body: first?.body })
    expect(await attempts(world)).toEqual([{ number: 1, outcome: 'delivered' }])
  })

  it('F5: SIGSTOP for longer than its lease: its stale result is fenced out when it continues', async ({ world }) => {
    const { path } = await world.subscribe()
    await world.publish()
    // The worker polls so rarely that it does not look for work again. A poll in flight at the SIGSTOP would lease the
    // lane once more, and lose that lease as well.
    const stopped = await world.work({
      worker: { ...PATIENT, pollMs: 3_600_000 },
      strikes: [{ at: 'after response', does: 'hold' }],
    })
    await stopped.reached('after response')
    stopped.signal('SIGSTOP')
    await world.advance(PATIENT.leaseMs)
    const next = await world.work({ worker: PATIENT })
    await world.receiver.received(path, 2)
    await world.quiet()
    stopped.signal('SIGCONT')
    stopped.letGo()
    await expect.poll(() => stopped.logs).toEqual(['leases were lost before they were settled'])
    const ledger = await world.invariants({ unsettled: 1, crashes: 1, survivors: [stopped, next] })
    expect(ledger).toMatchObject({ owed: 1, delivered: 1, repeated: 1 })
    expect(await attempts(world)).toEqual([{ number: 1, outcome: 'delivered' }])
  })

  it('F5: SIGSTOP during a TLS handshake for longer than its lease: it sends nothing when it continues', async ({
    world,
    onTestFinished,
  }) => {
    const { path } = await world.subscribe()
    const gate = await startHandshakeGate(Number(new URL(world.receiver.url(path)).port))
    onTestFinished(() => gate.stop())
    await world.query(`update callboard.subscriptions set ordering = 'subject', target_url = $1`, [
      `https://127.0.0.1:${gate.port}${path}`,
    ])
    await world.receiver.answer(path, {}, 'hold')
    const events = await world.publish(2)
    const lease = { deadlineMs: 500, leaseMs: 5_500 }
    const stopped = await world.work({ worker: { ...lease, pollMs: 3_600_000 } })
    await gate.holds(1)
    stopped.signal('SIGSTOP')
    await gate.open()

    // The next worker gets the lane when the lease ends. It delivers the first event, and the target holds the second.
    await world.work({ worker: PATIENT })
    await world.receiver.received(path, 2)
    stopped.signal('SIGCONT')
    await expect.poll(() => stopped.logs).toEqual(['leases were lost before they were settled'])
    expect((await world.receiver.log(path)).map(({ id }) => id)).toEqual(events)
    expect(await world.receiver.mostAtOnce(path)).toBe(1)
  })

  it('F27: SIGTERM with deliveries in flight: it lets them finish, starts no others, and exits', async ({ world }) => {
    const { path } = await world.subscribe()
    const [first] = await world.publish()
    const worker = await world.work({ worker: PATIENT, strikes: [{ at: 'after response', does: 'hold' }] })
    await worker.reached('after response')
    await terminate(worker)
    const [second] = await world.publish()
    worker.letGo()
    expect(await worker.ended).toEqual({ code: 0, signal: null })
    expect(await attempts(world)).toEqual([{ number: 1, outcome: 'delivered' }])
    expect((await world.receiver.log(path)).map(({ id }) => id)).toEqual([first])

    const next = await world.work({ worker: PATIENT })
    await world.receiver.received(path, 2)
    await world.quiet()
    expect((await world.receiver.log(path)).map(({ id }) => id)).toEqual([first, second])
    expect(await world.invariants({ survivors: [next] })).toMatchObject({ owed: 2, delivered: 2, repeated: 0 })
  })

  it.for([
    { name: 'exits after its grace time', graceMs: 200, signals: 1 },
    { name: 'exits at a second SIGTERM', graceMs: 3_600_000, signals: 2 },
  ])(
    'F27: SIGTERM while a target hangs: it $name and counts no attempt, and the next worker starts at once',
    async ({ graceMs, signals }, { world }) => {
      const { path } = await world.subscribe()
      await world.receiver.answer(path, 'hold', {})
      await world.publish()
      const worker = await world.work({ worker: { deadlineMs: 30_000, leaseMs: 3_600_000, graceMs } })
      await world.receiver.received(path)
      if (signals === 1) worker.signal('SIGTERM')
      else {
        await terminate(worker)
        worker.signal('SIGTERM')
      }
      expect(await worker.ended).toEqual({ code: 0, signal: null })
      expect(await attempts(world)).toEqual([])

      const next = await world.work({ worker: PATIENT })
      await world.receiver.received(path, 2)
      await world.quiet()
      expect(await attempts(world)).toEqual([{ number: 1, outcome: 'delivered' }])
      expect(await world.invariants({ survivors: [next] })).toMatchObject({ owed: 1, delivered: 1, repeated: 0 })
    },
  )
})
