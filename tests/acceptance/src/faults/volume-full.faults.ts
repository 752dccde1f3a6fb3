import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { engineOf } from '@callboard/core/engine'
import { startWorker } from '@callboard/delivery'
import { afterAll, beforeAll, expect } from 'vitest'
import { orderPaidEvent, thrownBy } from '../arrange.ts'
import { describeFaults, type FaultWorld } from './fault-world.ts'

const run = promisify(execFile)
const UNAVAILABLE = { code: 'UNAVAILABLE', retryAfter: 1 }

let volume: string | undefined

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'callboard-volume-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'callboard', folder])
    volume = folder
  } catch {
    await rm(folder, { recursive: true })
    console.warn('F26: no small volume can be mounted on this machine, so the error for a full one is only simulated.')
  }
})
afterAll(async () => {
  if (volume === undefined) return
  await run('umount', ['-l', volume])
  await rm(volume, { recursive: true })
})

/**
 * Expects the platform and the worker to fail with UNAVAILABLE while nothing can be written, and then to recover. With
 * `isSeen`, also expects a worker of the platform's process to be unhealthy meanwhile.
 */
async function expectRefusal(
  world: FaultWorld,
  full: () => Promise<void>,
  freed: () => Promise<void>,
  isSeen: boolean,
): Promise<void> {
  const { path } = await world.subscribe()
  const { callboard } = world.open()
  const worker = await world.work({ strikes: [{ at: 'after response', does: 'hold' }] })
  await world.publish()
  await worker.reached('after response')
  await full()
  // The tables' existing pages still have room for some rows, so the first publishes may succeed.
  let stored = 0
  const publish = async (): Promise<unknown> => {
    for (; stored < 1_000; stored++) await callboard.publish(orderPaidEvent())
    return undefined
  }
  expect(await thrownBy(publish())).toMatchObject(UNAVAILABLE)
  const idle = isSeen ? await startWorker(callboard, { extraCaCertificates: [world.receiver.ca] }) : undefined
  if (idle !== undefined) {
    expect(await thrownBy(callboard.publish(orderPaidEvent()))).toMatchObject(UNAVAILABLE)
    await expect.poll(idle.health).toMatchObject({ ok: false, problem: expect.stringContaining('full') })
  }
  worker.letGo()
  expect(await thrownBy(callboard.publish(orderPaidEvent({ idempotencyKey: 'k' })))).toMatchObject(UNAVAILABLE)
  await freed()
  expect(await callboard.publish(orderPaidEvent({ idempotencyKey: 'k' }))).toMatchObject({ repeated: false })
  if (idle !== undefined) {
    await expect.poll(idle.health).toMatchObject({ ok: true })
    expect(idle.health()).not.toHaveProperty('problem')
    await idle.stop()
  }
  expect((await world.me(callboard)).status).toBe(200)
  await world.receiver.received(path, stored + 2)
  await world.quiet()
  expect(await world.invariants({ survivors: [worker], unsettled: 10, crashes: 1 })).toMatchObject({
    delivered: stored + 2,
  })
}

describeFaults('a full volume', (it) => {
  it('F26: simulated by a trigger, causes UNAVAILABLE until there is room; nothing needs a restart', ({ world }) =>
    expectRefusal(
      world,
      async () => {
        await world.query(`
create function full_volume() returns trigger language plpgsql as $$ begin
  raise exception 'could not extend file' using errcode = '53100';
end $$`)
        for (const table of ['events', 'attempts', 'feed'])
          await world.query(
            `create trigger full_volume before insert on callboard.${table} for each statement execute function full_volume()`,
          )
      },
      async () => void (await world.query('drop function full_volume cascade')),
      false,
    ))

  it('F26: mounted under the tables, causes UNAVAILABLE until there is room; nothing needs a restart', async ({
    world,
    skip,
  }) => {
    const mounted = volume
    if (mounted === undefined) return skip('no small volume can be mounted here')
    const data = join(mounted, 'data')
    await chmod(mounted, 0o755)
    await mkdir(data)
    // If root starts the server, it runs as the user postgres.
    if (process.getuid?.() === 0) await run('chown', ['postgres', data])
    await world.query(`create tablespace small location '${data}'`)
    await world.query('alter table all in tablespace pg_default set tablespace small')
    await world.query('alter index all in tablespace pg_default set tablespace small')
    const filler = join(mounted, 'filler')
    const { store } = engineOf(world.open().callboard)
    const space = async () => (await store.survey(1_000)).findings.find(({ check }) => check === 'space')
    expect(await space()).toBeUndefined()
    await expectRefusal(
      world,
      async () => {
        await fill(filler)
        expect(await space()).toMatchObject({ verdict: 'problem', message: expect.stringContaining('full') })
      },
      () => rm(filler),
      true,
    )
  })
})

/** Appends to a file until its volume is completely full. */
async function fill(file: string): Promise<void> {
  for (const size of [1_000_000, 1_000, 1]) {
    const written = (): Promise<boolean> =>
      writeFile(file, Buffer.alloc(size), { flag: 'a' }).then(
        () => true,
        () => false,
      )
    while (await written());
  }
}
