import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { engineOf } from '@callboard/core/engine'
import { startWorker } from '@callboard/delivery'
import { describe, expect, it } from 'vitest'
import { cliWorld } from '../../../test/cli-world.ts'
import { printed } from '../../../test/printed.ts'

const world = cliWorld()

describe('callboard status', () => {
  it('says that nothing is wrong', async () => {
    const { code, stdout, stderr } = await world.run('status')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')).toEqual([
      '  attendance: no worker is running',
      '  outbox: no event is waiting to be sequenced',
      '  workers: no subscription is waiting for a worker',
      '  subscriptions: none is in trouble',
      '',
    ])
    expect(await world.json('status')).toMatchObject({ ok: true, subscriptions: [] })
  })

  it('lists the troubled subscriptions of all accounts, the worst first, and exits with 1', async () => {
    const server = createServer((_, response) => response.writeHead(500).end())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { host } = new URL(url)
    const failing = await world.subscribe(`${url}/failing`)
    const revoked = await world.subscribe(`${url}/revoked`)
    const { confirmedBy = '' } = (await world.callboard.subscriptions.find(revoked)) ?? {}
    await world.callboard.keys.revoke({ accountId: 'acc_1', id: confirmedBy })
    const worker = await startWorker(world.callboard, { name: 'w1' })
    const answered = once(server, 'request')
    await world.publish(1)
    await answered
    await expect.poll(() => world.callboard.subscriptions.troubled()).toHaveLength(2)

    const { code, stdout, stderr } = await world.run('status')
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: 2 subscriptions are in trouble.\n' })
    expect(stdout).toMatch(/^ {2}attendance: 1 worker is running: w1 /m)
    expect(stdout).toMatch(/^! subscriptions: 2 in trouble$/m)
    const rows = stdout.split('\n').filter((line) => /sub_/.test(line))
    expect(rows[0]).toMatch(
      new RegExp(`^disabled \\(key\\) +\\d+ m?s +- +- +0 +- +acc_1 +${revoked.id} +${host}/revoked +${url}/revoked$`),
    )
    expect(stdout).toContain(`callboard subscriptions enable <id> --key <new key>`)
    expect(rows[1]).toMatch(
      new RegExp(`^failing +\\d+ m?s +500 +\\d+ m?s +1 +- +acc_1 +${failing.id} +${host}/failing +${url}/failing$`),
    )
    expect((await world.run('status --limit 1')).stdout).toContain(
      '! subscriptions: 1 or more in trouble (see --limit)',
    )
    const document = await world.run('status --json')
    expect(document.code).toBe(1)
    expect(JSON.parse(document.stdout)).toMatchObject({
      ok: false,
      subscriptions: [
        { id: revoked.id, trouble: 'disabled' },
        { id: failing.id, trouble: 'failing', health: { lastAttempt: { status: 500 } } },
      ],
    })
    expect(document.stdout).not.toContain('secrets')
    const list = await world.run('subscriptions list')
    expect(list.stdout).toMatch(
      new RegExp(`^acc_1 +${failing.id} +${host}/failing +active \\(failing\\) +2\\S+Z +500 +1 `, 'm'),
    )
    const show = await world.run(`subscriptions show ${failing.id}`)
    expect(show.stdout).toMatch(/^state +active \(failing\)$/m)
    expect(show.stdout).toMatch(
      new RegExp(`^advice +its target keeps failing. callboard deliveries list --subscription ${failing.id} `, 'm'),
    )
    expect(show.stdout).toMatch(/^failing since +\d{4}-\S+Z\nfailed attempts +\d+$/m)
    const seen = (await world.runOnTerminal('status')).stdout
    expect(seen).toContain('\n\u001b[31m! subscriptions:\u001b[39m 2 in trouble\n')
    expect(seen).toMatch(/\n {2}outbox: no event/)
    expect(seen).toContain('\n\u001b[31mfailing:\u001b[39m its target keeps failing.')
    const shown = (await world.runOnTerminal(`subscriptions show ${failing.id}`)).stdout
    expect(shown.replaceAll('\u001b', 'ESC')).toMatch(
      /\nfailing since +ESC\[31m\d{4}-\S+Z \((?:\d+ \w+ ago|now)\)ESC\[39m\n/,
    )
    expect(shown).toMatch(/\npaused until +-\n/)
    const doctor = JSON.parse((await world.run('doctor --json')).stdout)
    expect(doctor.findings).toContainEqual(
      expect.objectContaining({
        check: 'deliveries',
        verdict: 'warning',
        message: '2 subscriptions are in trouble: 1 disabled, 1 failing',
      }),
    )
    await worker.stop()
    server.close()
  })

  it('lists a dead worker before everything else, and says when the worker was last seen', async () => {
    const { deliveries } = engineOf(world.callboard).store
    await deliveries.attend({ id: 'w', name: 'w2', details: undefined })
    await world.pool.query(`update callboard.workers set beat_at = beat_at - interval '5 min'`)
    const { code, stdout } = await world.run('status')
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^! attendance: no worker is running: w2 was last seen 5 min ago, and did not report that it was stopping\n {4}Start/,
    )
    await deliveries.releaseLeases({ of: 'worker', worker: 'w' })
  })

  it('does not ask for another worker if a target is too slow for its events', async () => {
    const { subscriptions } = world.callboard
    const slow = await world.subscribe('https://slow.example/')
    const { deliveries } = engineOf(world.callboard).store
    await deliveries.attend({ id: 'w', name: 'w3', details: undefined })
    await world.publish(1)
    await world.pool.query(`update callboard.events set published_at = published_at - interval '2 min'`)
    await world.pool.query(`update callboard.lanes set wake_at = now() - interval '2 min' where wake_at is not null`)
    const behind = await world.run('status')
    expect(behind.stdout).toMatch(/^behind +\d+ .*slow\.example/m)
    expect(behind.stdout).toContain('Start another worker')
    const { lanes } = await deliveries.due({ limit: 10, after: undefined })
    await deliveries.lease({
      worker: 'w',
      call: 1,
      lanes: lanes.map((lane) => ({ ...lane, room: 1 })),
      leaseMs: 60_000,
    })
    const { stdout } = await world.run('status')
    expect(stdout).toContain('  workers: no subscription is waiting for a worker')
    expect(stdout).toMatch(/^slow target +\d+ .*slow\.example/m)
    expect(stdout).toContain('More workers do not help')
    expect(stdout).not.toContain('another worker')
    await deliveries.releaseLeases({ of: 'worker', worker: 'w' })
    await subscriptions.remove({ ...slow, by: 'platform' })
  })

  it('says that the database cannot be reached', async () => {
    const env = { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' }
    const { code, stdout } = await world.run('status', { env })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^! database: /)
    expect(stdout).toContain('workers and subscriptions could not be checked')
    expect(stdout).not.toContain('none is in trouble')
    expect(stdout).not.toContain('hunter2')
  })

  it('repeats the check with --watch, until Ctrl-C', async () => {
    const ran = await world.run('status --watch --json', {
      whileRunning: async (child) => {
        await printed(child, /\{"ok"[^\n]+\n[^\n]*\{"ok"/)
        child.kill('SIGINT')
      },
    })
    expect(ran.code).toBe(0)
    for (const line of ran.stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('findings')
  })
})

describe('callboard accounts list', () => {
  it('lists accounts in pages', async () => {
    await world.callboard.accounts.create({ id: 'acc_2', name: 'Second' })
    const first = await world.run('accounts list --limit 1')
    expect(first.stdout).toMatch(/^ID +NAME\nacc_1 +Harbour Hall\n$/)
    expect(first.stderr).toContain('--after acc_1')
    expect(await world.json('accounts list --after acc_1')).toEqual({
      data: [{ id: 'acc_2', name: 'Second' }],
      nextCursor: null,
    })
  })
})
