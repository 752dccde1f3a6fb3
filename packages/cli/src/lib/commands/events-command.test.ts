import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { cliWorld } from '../../../test/cli-world.ts'

const world = cliWorld()
const type: string = 'order.paid'
const data = { order: { id: 'ord_9', buyer: { entity_id: 'per_9', email: 'grace@example.com' } } }
const find = (id: string, personalData = false) =>
  world.callboard.events.find({ accountId: 'acc_1', id: id.trim(), personalData })

describe('callboard events', () => {
  it('publishes data from the command line, a file or stdin', async () => {
    const file = join(tmpdir(), `callboard-${process.pid}.json`)
    await writeFile(file, JSON.stringify(data))
    const base = ['events', 'publish', 'order.paid', '--account', 'acc_1', '--subject', 'order:ord_9', '--data']
    for (const [given, input] of [[JSON.stringify(data)], [`@${file}`], ['-', JSON.stringify(data)]] as const) {
      const { code, stdout, stderr } = await world.run([...base, given], { input: input ?? '' })
      expect({ code, stderr }).toEqual({ code: 0, stderr: 'Published order.paid.\n' })
      expect(await find(stdout, true)).toMatchObject({ data, subject: { type: 'order', id: 'ord_9' } })
    }
  })

  it('publishes only once for the same idempotency key', async () => {
    const given = `--subject order:ord_7 --data ${JSON.stringify(data)}`
    const words = `events publish order.paid --account acc_1 ${given} --idempotency-key once`
    const first = await world.run(words)
    const second = await world.run(words)
    expect(second).toMatchObject({
      code: 0,
      stdout: first.stdout,
      stderr: expect.stringContaining('Already published'),
    })
    expect(await find(first.stdout)).toMatchObject({ subject: { type: 'order', id: 'ord_7', sequence: 1 } })
  })

  it('lists the newest events of all accounts', async () => {
    await world.callboard.accounts.create({ id: 'acc_2', name: 'Other' })
    const ids: string[] = []
    const now = Date.now() - 3
    for (const [accountId, at] of [
      ['acc_2', 1],
      ['acc_1', 2],
      ['acc_2', 3],
    ] as const) {
      const subject = { type: 'order', id: 'ord_9' }
      const event = { accountId, type, subject, data, occurredAt: new Date(now + at) } as const
      ids.unshift((await world.callboard.publish(event)).id)
    }
    const { stdout } = await world.run('events list --limit 2')
    expect(stdout).toMatch(new RegExp(`^ACCOUNT +ID .*\\nacc_2 +${ids[0]} .*\\nacc_1 +${ids[1]} .*\\n$`))
    expect(await world.json('events list --limit 3')).toMatchObject({ data: ids.map((id) => ({ id })) })
    expect(await world.run('events list --cursor x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--account'),
    })
  })

  it('asks for the account of an event whose id several accounts chose', async () => {
    await world.callboard.accounts.create({ id: 'acc_3', name: 'Third' })
    const event = { id: createId('evt'), type, subject: { type: 'order', id: 'ord_9' }, data } as const
    for (const accountId of ['acc_3', 'acc_1']) await world.callboard.publish({ ...event, accountId })
    expect(await world.run(`events show ${event.id}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--account acc_1 --mode live\n  --account acc_3 --mode live'),
    })
    expect((await world.run(`events show ${event.id} --account acc_3`)).stdout).toContain('acc_3')
  })

  it('triggers a sample in test mode, and says how many subscriptions receive it', async () => {
    await world.callboard.accounts.create({ id: 'acc_test', name: 'Test' })
    const nobody = await world.run('trigger order.paid --account acc_test')
    expect(nobody).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('No active test subscription receives it'),
    })
    const id = nobody.stdout.trim()
    const event = await world.callboard.events.find({ accountId: 'acc_test', mode: 'test', id })
    expect(event).toMatchObject({ livemode: false, subject: { type: 'orders', id: 'sample' } })
    const target = { targetUrl: 'https://hooks.example.com/test', eventTypes: ['order.paid'] }
    await world.callboard.subscriptions.create({ accountId: 'acc_test', mode: 'test', ...target })
    const sent = await world.run('trigger order.paid --account acc_test')
    await world.callboard.accounts.delete({ id: 'acc_test' })
    expect(sent.stderr).toContain('1 test subscription receives it.')
  })

  it('refuses data that does not match the schema, and names the fields but not their values', async () => {
    const wrong = JSON.stringify({ order: { id: 9, buyer: { entity_id: 'per_9', email: 'no-address' } } })
    const { code, stdout, stderr } = await world.run([
      ...['events', 'publish', 'order.paid', '--account', 'acc_1', '--subject', 'order:ord_9', '--data', wrong],
    ])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('order.id')
    expect(stderr).toContain('order.buyer.email')
    expect(stderr).not.toContain('no-address')
    const unknown = await world.run('events publish order.lost --account acc_1 --subject order:ord_9 --data {}')
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('order.lost') })
  })

  it('lists and shows events, without personal data unless --personal-data is given', async () => {
    const { id } = await world.callboard.publish({
      ...{ accountId: 'acc_1', mode: 'test', type, data, subject: { type: 'order', id: 'ord_9' } },
    })
    const list = await world.run('events list --account acc_1 --mode test')
    expect(list.stdout).toMatch(new RegExp(`^ID +TYPE .*\\n${id} +order.paid +\\S+ +order:ord_9 +1\\n$`))
    const words = `events show ${id} --account acc_1 --mode test`
    expect((await world.run(words)).stdout).not.toContain('grace')
    expect((await world.run(`${words} --personal-data`)).stdout).toContain('grace@example.com')
    const page = await world.json('events list --account acc_1 --mode test')
    expect(page).toMatchObject({ data: [{ id, livemode: false }], nextCursor: null, hasMore: false })
    expect(JSON.stringify(page)).not.toContain('grace')
    expect(await world.run('events show evt_1 --account acc_1')).toMatchObject({ code: 1, stdout: '' })
  })
})

describe('callboard erase', () => {
  it('asks for confirmation, and refuses to run if there is no terminal', async () => {
    const { code, stderr } = await world.run('erase person per_9 --account acc_1', { input: 'y\n' })
    expect(code).toBe(2)
    expect(stderr).toContain('add --yes')
  })

  it('erases the personal data of one person, or of all events before a time', async () => {
    const publish = (person: string) =>
      world.callboard.publish({
        ...{ accountId: 'acc_1', type, subject: { type: 'order', id: 'ord_9' } },
        data: { order: { id: 'ord_9', buyer: { entity_id: person, email: 'grace@example.com' } } },
      })
    const [hers, his] = [await publish('per_8'), await publish('per_7')]
    const counts = await world.json('erase person per_8 --account acc_1 --yes')
    const erased = { events: 1, late: 0, responses: 0 }
    const accounts = [{ accountId: 'acc_1', ...erased }]
    expect(counts).toEqual({ ...erased, accounts, openTransactions: 0, unattributed: [] })
    expect(JSON.stringify(await find(hers.id, true))).not.toContain('grace')
    expect(JSON.stringify(await find(his.id, true))).toContain('grace')
    const all = await world.run('erase before 0s --all-accounts --yes')
    expect(all).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Erased personal data from \d+ events/) })
    expect(JSON.stringify(await find(his.id, true))).not.toContain('grace')
  })
})

describe('callboard erase person', () => {
  const erase = 'erase person per_8 --account acc_1 --yes'

  it('says how many events may hold personal data but name no person', async () => {
    const other = '--config without-person-path.config.ts'
    const given = `--subject guest:gue_1 --data ${JSON.stringify({ email: 'x@example.com' })}`
    expect(await world.run(`events publish guest.invited --account acc_1 ${given} ${other}`)).toMatchObject({ code: 0 })
    const { code, stderr } = await world.run(erase)
    expect(code).toBe(0)
    expect(stderr).toContain('so they were not erased: 1 of guest.invited.')
    await world.run(`erase before 0s --account acc_1 --yes ${other}`)
    expect((await world.run(erase)).stderr).not.toContain('guest.invited')
  })

  it('fails if a transaction that has published events is still open, but still erases all other events', async () => {
    const publish = (tx?: object) =>
      world.callboard.publish(
        {
          ...{ accountId: 'acc_1', type, subject: { type: 'order', id: 'ord_8' } },
          data: { order: { id: 'ord_8', buyer: { entity_id: 'per_8', email: 'grace@example.com' } } },
        },
        tx && { tx },
      )
    const erased = await publish()
    const tx = await world.pool.connect()
    await tx.query('begin')
    await publish(tx)
    const { code, stderr } = await world.run(`${erase} --wait 1s`)
    await tx.query('rollback')
    tx.release()
    expect(code).toBe(1)
    expect(stderr).toContain('Erased personal data from 1 events')
    expect(stderr).toContain('1 database transactions that had published events were still open')
    expect(JSON.stringify(await find(erased.id, true))).not.toContain('grace')
  })
})

describe('callboard retention', () => {
  it('removes data that has been kept long enough, and says how much it removed', async () => {
    await world.publish(1)
    const { rows } = await world.pool.query('select count(*)::int as events from callboard.events')
    await world.pool.query("update callboard.events set published_at = published_at - interval '40 days'")
    const kept = await world.json('retention run')
    expect(kept).toEqual({
      ...rows[0],
      expired: 0,
      attempts: 0,
      responses: 0,
      subscriptions: 0,
      auditEntries: 0,
      keys: 0,
    })
    expect(await world.run('retention run')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^0 events/),
    })
  })
})
