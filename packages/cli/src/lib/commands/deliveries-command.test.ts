import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { engineOf, withHooks } from '@callboard/core/engine'
import type { SubscriptionRef } from '@callboard/core/store'
import { startWorker } from '@callboard/delivery'
import { beforeEach, describe, expect, it } from 'vitest'
import { cliWorld } from '../../../test/cli-world.ts'

const world = cliWorld()
let ref: SubscriptionRef
let subscriptions = 0

beforeEach(async () => {
  ref = await world.subscribe(`https://hooks.example/${++subscriptions}`)
})

/** Publishes `count` events whose deliveries end as skipped, and returns their ids. */
async function endedDeliveries(count: number): Promise<string[]> {
  const ids = await world.publish(count)
  await world.callboard.subscriptions.skipToNow(ref)
  return ids
}

describe('callboard subscriptions', () => {
  it('leaves out the secrets, even in sealed form, when it lists or shows subscriptions', async () => {
    const list = await world.run('subscriptions list --account acc_1')
    expect(list.stdout).toMatch(
      new RegExp(
        `\\n${ref.id} +hooks.example/1 +active +- +- +0 +- +zapier +https://hooks.example/1 +order.paid +\\d{4}-`,
      ),
    )
    const show = await world.run(`subscriptions show ${ref.id} --account acc_1`)
    expect(show.stdout).toMatch(/^id +sub_\w+\nname +hooks.example\/1\nstate +active\n/)
    expect(show.stdout).toMatch(new RegExp(`^dashboard +https://app.example/webhooks/subscriptions/${ref.id}$`, 'm'))
    const shown = await world.json(`subscriptions show ${ref.id}`)
    expect(shown).toMatchObject({ id: ref.id, state: 'active', disabledReason: null })
    expect(shown).not.toHaveProperty('secrets')
    expect(await world.run(`subscriptions show ${ref.id} --account acc_1 --mode test`)).toMatchObject({ code: 1 })
  })

  it('starts, shows and ends a backfill', async () => {
    expect(await world.run(`subscriptions backfill ${ref.id}`)).toMatchObject({ code: 1 })
    const started = await world.json(`subscriptions backfill ${ref.id} --since 7d`)
    expect(started).toMatchObject({ state: 'running', reachedAt: null })
    const { stdout } = await world.run(`subscriptions backfill ${ref.id} --account acc_1`)
    expect(stdout).toMatch(/^state +running\nsince +\d{4}-.*\nstarted +\d{4}-.*\nreached +-\n/)
    expect(await world.json(`subscriptions backfill ${ref.id} --cancel`)).toMatchObject({ state: 'cancelled' })
    expect(await world.run(`subscriptions backfill ${ref.id} --cancel --since 7d`)).toMatchObject({ code: 2 })
  })

  it('says why deliveries of a subscription are held back, and that they use up no attempts meanwhile', async () => {
    const { deliveries } = engineOf(world.callboard).store
    const host = { host: 'hooks.example', limit: 4, lanes: 1 }
    const report = (reason: 'full' | 'failing' | 'new') =>
      deliveries.attend({
        id: 'w',
        name: 'w',
        details: { waiting: { lanes: 1, accounts: 1 }, heldBack: [{ ...host, reason }] },
      })
    const show = async () => (await world.run(`subscriptions show ${ref.id} --account acc_1`)).stdout
    await report('full')
    expect(await show()).toMatch(/^held back +-$/m)
    await world.publish(1)
    await report('full')
    const waiting = 'waiting uses up no attempts'
    expect(await show()).toMatch(
      new RegExp(`^held back +the target gets at most 4 requests at a time; ${waiting}$`, 'm'),
    )
    await report('failing')
    const because = 'because its last requests failed or were slow'
    expect(await show()).toMatch(
      new RegExp(`^held back +the target gets at most 4 .* time ${because}; ${waiting}$`, 'm'),
    )
    await report('new')
    expect(await show()).toMatch(
      new RegExp(`^held back +the target gets at most 4 .* until its first answer; ${waiting}$`, 'm'),
    )
    const list = await world.run('subscriptions list --account acc_1')
    expect(list.stdout).toMatch(
      new RegExp(`\\n${ref.id} +\\S+ +active \\(held back: 4 at a time\\) +- +- +0 +\\S+ +zapier `),
    )
    await report('full')
    expect(await world.json('subscriptions list --account acc_1')).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({
          id: ref.id,
          health: expect.objectContaining({ heldBack: { limit: 4, reason: 'full' } }),
        }),
      ]),
    })
    await deliveries.releaseLeases({ of: 'worker', worker: 'w' })
    await world.callboard.subscriptions.skipToNow(ref)
  })

  it('disables and enables a subscription', async () => {
    const state = async () => (await world.callboard.subscriptions.find(ref))?.state
    expect(await world.run(`subscriptions disable ${ref.id}`)).toMatchObject({
      ...{ code: 0, stdout: '', stderr: `Disabled hooks.example/${subscriptions} (${ref.id}).\n` },
    })
    expect(await state()).toBe('disabled')
    const { stdout } = await world.run(`subscriptions show ${ref.id}`)
    expect(stdout).toContain('disabled (platform)')
    expect(await world.run(`subscriptions enable ${ref.id}`)).toMatchObject({ code: 0, stdout: '' })
    expect(await state()).toBe('active')
  })

  it('takes the id that a subscription brought along when it was imported', async () => {
    const id = '7f9c24e8-3b12-4f.5A_b'
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const item = { targetUrl: 'https://hooks.example/old', eventTypes: ['order.paid'], integration: 'zapier', secret }
    await world.callboard.subscriptions.import([{ ...item, accountId: 'acc_1', id }], { by: 'platform' })
    const [event = ''] = await world.publish(1)
    const show = await world.run(`subscriptions show ${id}`)
    expect(show.stdout).toMatch(new RegExp(`^id +${id}\nname +hooks.example/old\nstate +active\n`))
    expect(show.stdout).toMatch(/^personal data +false$/m)
    expect((await world.run(`deliveries show ${id} ${event}`)).stdout).toContain('pending')
    expect(await world.json(`deliveries list --subscription ${id}`)).toMatchObject({ data: [{ subscriptionId: id }] })
    for (const words of ['disable', 'enable'])
      expect(await world.run(`subscriptions ${words} ${id}`)).toMatchObject({ code: 0 })
    const { data } = (await world.json(`audit --of ${id}`)) as { data: { action: string; objectId: string }[] }
    expect(data.map(({ action, objectId }) => `${action} ${objectId}`)).toEqual(
      ['enabled', 'disabled', 'imported'].map((action) => `subscription.${action} ${id}`),
    )
    await world.callboard.subscriptions.remove({ accountId: 'acc_1', id, by: 'platform' })
  })

  it('requires another key to enable a subscription whose key was revoked', async () => {
    const { id } = await world.subscribe('https://hooks.example/revoked')
    const { confirmedBy = '' } = (await world.callboard.subscriptions.find({ accountId: 'acc_1', id })) ?? {}
    await world.run(`keys revoke ${confirmedBy}`)
    const refused = await world.run(`subscriptions enable ${id}`)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${confirmedBy} is revoked`) })
    const other = await world.callboard.keys.issue({ accountId: 'acc_1', name: 'New', scopes: ['webhooks.write'] })
    expect(await world.run(`subscriptions enable ${id} --key ${other.id}`)).toMatchObject({ code: 0 })
    expect((await world.run(`subscriptions show ${id}`)).stdout).toMatch(new RegExp(`^key +${other.id}$`, 'm'))
    await world.callboard.subscriptions.remove({ accountId: 'acc_1', id, by: 'platform' })
  })

  it('says what an id is if it belongs to another kind of object', async () => {
    const [event = ''] = await world.publish(1)
    const { id: key } = await world.callboard.keys.issue({ accountId: 'acc_1', name: 'CRM', scopes: [] })
    const lines = {
      [`subscriptions show ${event}`]: `${event} is an event's id. Give a subscription's id.`,
      [`deliveries show ${ref.id} ${key} --account acc_1`]: `${key} is an API key's id. Give an event's id.`,
      [`events show ${ref.id} --account acc_1`]: `${ref.id} is a subscription's id. Give an event's id.`,
      [`keys revoke ${ref.id}`]: `${ref.id} is a subscription's id. Give an API key's id.`,
    }
    for (const [line, message] of Object.entries(lines))
      expect(await world.run(line), line).toMatchObject({ code: 2, stderr: `error: ${message}\n` })
  })

  it('says that no account has the given id', async () => {
    for (const words of ['subscriptions show', 'deliveries list --subscription', 'events show', 'keys revoke'])
      expect(await world.run(`${words} sub_nobody`)).toMatchObject({
        code: 1,
        stderr: 'error: There is no subscription with the id sub_nobody.\n',
      })
  })

  it('creates a subscription, and prints only its secret to stdout', async () => {
    const line = '--account acc_1 --target https://example.com/a --type order.paid --description CRM'
    const { code, stdout, stderr } = await world.run(`subscriptions create ${line} --personal-data`)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^whsec_\S+\n$/)])
    const [created] = await world.callboard.subscriptions.list({ accountId: 'acc_1' })
    expect(created).toMatchObject({ source: 'dashboard', eventTypes: ['order.paid'], description: 'CRM' })
    expect(created).toMatchObject({ targetUrl: 'https://example.com/a', integration: 'other', personalData: true })
    expect(stderr).toBe(
      `Created CRM (${created?.id}). Give the receiver the secret above: it will not be shown again.\n`,
    )
  })

  it('says what is wrong with a subscription that it cannot create', async () => {
    const refused = await world.run('subscriptions create --account acc_1 --target http://10.0.0.1/ --type order.lost')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toBe(
      'error: targetUrl must use https, unless its host is in targets.httpLoopbackHosts.\n' +
        '  targetUrl: targetUrl must use https, unless its host is in targets.httpLoopbackHosts.\n' +
        '  eventTypes: Unknown event type in eventTypes: "order.lost". `callboard catalog list` lists the valid ones.\n',
    )
    const line = 'subscriptions create --account acc_1 --target https://example.com/ --type order.paid'
    expect((await world.runWithoutConfig(line)).stderr).toContain('This command needs your catalogue')
  })

  it('sends a test event to a subscription, whoever created it, and says what came back', async () => {
    let status = 204
    const server = createServer((_, response) => response.writeHead(status).end(status === 204 ? '' : 'who are you?'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { id } = await world.subscribe(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const accepted = await world.run(`subscriptions test ${id}`)
    expect(accepted).toMatchObject({ code: 0, stderr: '' })
    expect(accepted.stdout).toMatch(
      /^outcome +delivered\nstatus +204\ntook +\d+ ms\ntype +order\.paid\nevent +test_\w+\nresponse +-\n$/,
    )
    status = 401
    const refused = await world.run(`subscriptions test ${id} --json`)
    expect(JSON.parse(refused.stdout)).toMatchObject({ outcome: 'failed', status: 401, response: 'who are you?' })
    const message = 'The target did not accept the event: it answered 401.'
    expect([refused.code, JSON.parse(refused.stderr)]).toEqual([1, { error: { code: 'FAILED', message, issues: [] } }])
    server.close()
    expect(await world.run(`subscriptions test ${id} --type order.lost`)).toMatchObject({ code: 1, stdout: '' })
  })

  it('rotates the secret of a subscription, and prints only the new secret to stdout', async () => {
    const { code, stdout } = await world.run(`subscriptions rotate-secret ${ref.id} --account acc_1 --overlap 1h`)
    expect(code).toBe(0)
    const [current] = (await world.callboard.subscriptions.find(ref))!.secrets
    expect(stdout).toBe(`${await engineOf(world.callboard).secretBox.open(ref.id, current!.sealed)}\n`)
  })

  it('warns, before it rotates, that only the newest secret signs an HMAC header', async () => {
    const warning = 'This subscription signs by X-Shop-Signature with the newest secret only: its receiver refuses'
    const hmac = { type: 'hmac', header: 'X-Shop-Signature', over: 'body', encoding: 'hex' } as const
    await world.callboard.subscriptions.setSignatures({ ...ref, signatures: [hmac] })
    const { stderr } = await world.run(`subscriptions rotate-secret ${ref.id}`)
    expect(stderr).toContain(warning)
    expect(stderr).toContain('Give this secret to the receiver now.')
    await world.callboard.subscriptions.setSignatures({ ...ref, signatures: ['standard'] })
    const standard = await world.run(`subscriptions rotate-secret ${ref.id}`)
    expect(standard.stderr).toBe('Give this secret to the receiver. Until the overlap ends, the old one also signs.\n')
  })
})

describe('callboard deliveries', () => {
  it('lists the deliveries of a subscription or an event, reading as many pages as necessary', async () => {
    const ids = await endedDeliveries(120)
    const { data, nextCursor } = (await world.json(
      `deliveries list --account acc_1 --subscription ${ref.id} --state skipped --limit 110`,
    )) as { data: { eventId: string }[]; nextCursor: string }
    expect(data).toHaveLength(110)
    const rest = (await world.json(
      `deliveries list --account acc_1 --subscription ${ref.id} --state skipped --cursor ${nextCursor}`,
    )) as typeof data & { data: { eventId: string }[]; nextCursor: null }
    expect(rest.nextCursor).toBeNull()
    expect([...data, ...rest.data].map(({ eventId }) => eventId).sort()).toEqual([...ids].sort())
    const ofEvent = await world.run(`deliveries list --account acc_1 --event ${ids[0]}`)
    expect(ofEvent.stdout).toMatch(new RegExp(`${ref.id} +hooks.example/\\d+ +order.paid +skipped`))
  })

  it('shows each attempt, and escapes characters in a response that could control the terminal', async () => {
    const server = createServer((_, response) =>
      response.writeHead(500).end(`\u001b]0;gotcha\u0007no\u202e\n\n${'🇩🇪'.repeat(40)}.`),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const target = await world.subscribe(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    // Disables the other subscriptions, so that the worker sends only to this target.
    const { list, disable } = world.callboard.subscriptions
    for (const other of await list({ accountId: 'acc_1' }))
      if (other.id !== target.id) await disable({ ...other, by: 'platform' })
    const progress = new EventEmitter()
    const exhausted = once(progress, 'exhausted')
    const { hooks } = engineOf(world.callboard)
    const worker = await startWorker(
      withHooks(world.callboard, { ...hooks, onDeliveryExhausted: () => progress.emit('exhausted') }),
      { retrySchedule: [] },
    )
    const [event] = await world.publish(1)
    await exhausted
    await worker.stop()
    server.close()
    const { code, stdout, stderr } = await world.run(`deliveries show ${target.id} ${event} --account acc_1`)
    expect(code).toBe(0)
    expect(stdout).toMatch(/state +exhausted\nmeaning +every attempt failed; callboard deliveries resend starts over\n/)
    expect(stdout).toMatch(/^1 +\d{4}-\S+ +exhausted +500 +\d+ ms +/m)
    const hostile = '\\u001b]0;gotcha\\u0007no\\u202e'
    expect(stdout).toMatch(/(?:🇩🇪)+…$/m)
    expect(stdout).toContain(hostile)
    expect(stderr).toBe('Long responses are cut; --full-responses prints all that is stored of them.\n')
    expect(stdout).toContain(`https://app.example/webhooks/subscriptions/${target.id}/deliveries/${event}\n`)
    const full = await world.run(`deliveries show ${target.id} ${event} --full-responses`)
    expect(full.stdout).toMatch(/^1 +\d{4}-\S+ +exhausted +500 +\d+ ms$/m)
    expect(full.stdout.endsWith(`\n\nResponse to attempt 1:\n  ${hostile}\n\n  ${'🇩🇪'.repeat(40)}.\n`)).toBe(true)
    expect(full.stderr).toBe('')
    const shown = await world.json(`deliveries show ${target.id} ${event} --account acc_1`)
    expect(shown).toMatchObject({ delivery: { state: 'exhausted' }, attempts: [{ status: 500 }] })
  })

  it('gives programs the code NOT_FOUND, and says which ids it takes for one that is none', async () => {
    for (const words of [
      'deliveries show sub_1 evt_1 --account acc_1',
      'subscriptions show sub_1',
      'accounts show acc_9',
    ]) {
      const { code, stderr } = await world.run(`${words} --json`)
      expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'NOT_FOUND'])
    }
    const { code, stderr } = await world.run('subscriptions show nonsense')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: “nonsense” is not an id: .*sub_/)
  })

  it.each(['sub_1 evt_1', 'sub_1 evt_01jb2c3d4e5f6g7h8j9k0mnpqr'])(
    'says that there is no delivery %s',
    async (words) => {
      for (const verb of ['show', 'resend']) {
        const { code, stdout, stderr } = await world.run(`deliveries ${verb} ${words} --account acc_1`)
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
        expect(stderr).toMatch(/^error: There is no such .*\n$/)
      }
    },
  )

  it('resends one delivery, and says what happens to it', async () => {
    const [event] = await endedDeliveries(1)
    const first = await world.run(`deliveries resend ${ref.id} ${event} --account acc_1`)
    expect(first).toEqual({
      code: 0,
      stdout: '',
      stderr: 'The delivery had ended. It starts over now, with a new retry schedule.\n',
    })
    expect(await world.json(`deliveries resend ${ref.id} ${event} --account acc_1`)).toEqual({ outcome: 'hastened' })
    await world.callboard.subscriptions.disable({ ...ref, by: 'platform' })
    const refused = await world.run(`deliveries resend ${ref.id} ${event} --account acc_1`)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: .*Enable it first/) })
  })

  it('resends the deliveries of a range only once, and needs only DATABASE_URL', async () => {
    await endedDeliveries(3)
    const range = `deliveries resend ${ref.id} --account acc_1 --from 1h --state skipped`
    expect(await world.runWithoutConfig(range)).toEqual({
      code: 0,
      stdout: '',
      stderr: '3 resent (found 3 skipped).\n',
    })
    expect(await world.json(range)).toMatchObject({ resent: 0, waiting: 0, found: { skipped: 0 }, nextCursor: null })
  })

  it('does not resend skipped deliveries by default, and counts pending deliveries, which need no resend', async () => {
    await endedDeliveries(2)
    await world.publish(3)
    const range = `deliveries resend ${ref.id} --account acc_1 --from 1h`
    expect(await world.run(range)).toEqual({
      code: 0,
      stdout: '',
      stderr:
        '0 resent (found 3 pending). 3 are due or not attempted yet, and will be sent anyway.\n' +
        'The subscription also has skipped deliveries: --state skipped resends them.\n',
    })
  })

  it('says on a terminal how many deliveries of a range it would resend, and asks first', async () => {
    await endedDeliveries(2)
    await world.publish(1)
    const range = `deliveries resend ${ref.id} --from 1h --state pending skipped`
    const ask = async (answer: string, more = ''): Promise<string> =>
      (await world.runOnTerminal(`${range}${more}`, answer)).stderr
    const question = 'Resend 2 deliveries? 1 is due or not attempted yet, and will be sent anyway. [y/N] '
    expect(await ask('n\n')).toBe(`${question}error: Nothing was done.\n`)
    expect(await ask('y\n')).toContain(`${question}2 resent (found 1 pending, 2 skipped).`)
    expect(await ask('n\n'), 'nothing is left to resend').toContain('0 resent')
    await world.callboard.subscriptions.skipToNow(ref)
    expect(await ask('', ' --yes')).toMatch(/^3 resent/)
  })

  it('stops resending a range on Ctrl-C, after the current step, and prints the command that continues', async () => {
    await endedDeliveries(1_200)
    const held = await world.pool.connect()
    await held.query('begin')
    await held.query('select from callboard.lanes where subscription_id = $1 for update', [
      (await held.query('select subscription_id from callboard.lanes order by start desc limit 1')).rows[0]
        .subscription_id,
    ])
    const progress = new EventEmitter()
    const stopping = once(progress, 'stopping')
    const ended = world.run(`deliveries resend ${ref.id} --account acc_1 --from 1h --state skipped`, {
      whileRunning(child) {
        child.stderr?.on('data', (text: string) => text.includes('Stopping') && progress.emit('stopping'))
        void waitsForLock().then(() => child.kill('SIGINT'))
      },
    })
    await stopping
    await held.query('rollback')
    held.release()
    const { code, stdout, stderr } = await ended
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' })
    expect(stderr).toContain('500 resent so far. Continue with:\n  callboard deliveries resend')
    const rest = /callboard (deliveries resend .* --resume \S+)/.exec(stderr)![1]!
    expect(await world.json(rest)).toEqual({ resent: 700, waiting: 0, found: { skipped: 700 }, nextCursor: null })
  })
})

async function waitsForLock(): Promise<void> {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  while ((await world.pool.query(waiting)).rowCount === 0);
}
