import { describe, expect, it } from 'vitest'
import { cliWorld } from '../../../test/cli-world.ts'

const world = cliWorld()
const ADA = { env: { CALLBOARD_OPERATOR: 'ada' } }

describe('callboard audit', () => {
  it('lists who changed what, in all accounts or for one key', async () => {
    await world.run('accounts create acc_2 --name Other', ADA)
    const issued = await world.run('keys issue --account acc_2 --name CRM --json', ADA)
    const { id, token } = JSON.parse(issued.stdout)
    const name = `CRM …${token.slice(-4)}`
    await world.run(`keys revoke ${id} --account acc_2`)
    const { code, stdout } = await world.run('audit')
    expect(code).toBe(0)
    const [head, ...rows] = stdout.trim().split('\n')
    expect(head).toMatch(/^AT +WHO +ACTION +ACCOUNT +OF +NAME +DETAILS$/)
    expect(rows.map((row) => row.replace(/^\S+Z +/, '').replaceAll(/ {2,}/g, '  '))).toEqual([
      `operator  key.revoked  acc_2  ${id}  ${name}  disabledSubscriptions: 0`,
      `operator ada  key.issued  acc_2  ${id}  ${name}  scopes: webhooks.read, webhooks.write`,
      'operator ada  account.created  acc_2  -  -  -',
      'platform  account.created  acc_1  -  -  -',
    ])
    const ofKey = await world.run(`audit --of ${id} --limit 1`)
    expect(ofKey.stdout).toContain('key.revoked')
    expect(ofKey.stdout).not.toContain('key.issued')
    const [, cursor = ''] = /--cursor (\S+)/.exec(ofKey.stderr) ?? []
    expect((await world.run(`audit --of ${id} --limit 1 --cursor ${cursor}`)).stdout).toContain('key.issued')
    expect(await world.run('audit --account nobody')).toMatchObject({ stderr: 'There are no such changes.\n' })
  })

  it('says how to list the changes to the key of a subscription', async () => {
    const { id, accountId } = await world.subscribe('https://hooks.example/1')
    const { confirmedBy = '' } = (await world.callboard.subscriptions.find({ accountId, id })) ?? {}
    await world.run(`keys revoke ${confirmedBy}`, ADA)
    const { stdout, stderr } = await world.run(`audit --of ${id}`)
    expect(stdout).not.toContain('key.revoked')
    expect(stdout).toMatch(/key Zapier …\w{4} +subscription.created +acc_1 +sub_\w+ +hooks\.example\/1 /)
    expect(stderr).toBe(`For changes to the key of this subscription: callboard audit --of ${confirmedBy}\n`)
    expect((await world.run(`audit --of ${confirmedBy}`)).stdout).toMatch(/operator ada +key\.revoked/)
  })

  it('names the operator even if there is no config module', async () => {
    await world.runWithoutConfig('keys issue --account acc_1 --name CRM --api-version 2026-10-01', ADA)
    expect(await world.json('audit --account acc_1 --limit 1')).toMatchObject({
      data: [{ actor: { type: 'operator', id: 'ada' }, action: 'key.issued' }],
    })
  })

  it('offers no cursor without a config module, because no later command could verify the cursor', async () => {
    const { stderr } = await world.runWithoutConfig('audit --limit 1')
    expect(stderr).toBe('There are more: raise --limit\n')
  })

  it('refuses an e-mail address as the name of the operator, and a mode without an account', async () => {
    const env = { CALLBOARD_OPERATOR: 'ada@example.com' }
    const refused = await world.run('accounts create acc_3 --name Third', { env })
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('CALLBOARD_OPERATOR must be a name')
    expect(refused.stderr).not.toContain('ada@')
    expect(await world.run('audit --mode test')).toMatchObject({ code: 2 })
  })
})
