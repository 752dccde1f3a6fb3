import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliWorld } from '../../../test/cli-world.ts'

const world = cliWorld()
const WHSEC = `whsec_${Buffer.alloc(24, 3).toString('base64')}`
const HMAC = { type: 'hmac', header: 'X-Shop-Signature', over: 'body', encoding: 'hex', prefix: 'sha256=' }

const lines = (...objects: readonly (object | string)[]): string =>
  objects.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n')
const subscription = (accountId: string, id: string, more: object = {}) => ({
  ...{ kind: 'subscription', accountId, id, targetUrl: `https://localhost/${id}`, eventTypes: ['order.paid'] },
  ...{ integration: 'other', secret: WHSEC },
  ...more,
})
const run = (input: string, words = '') =>
  world.run(`import --from - ${words}`, { input, env: { IMPORTED_KEYS: 'yes' } })

describe('callboard import', () => {
  it('imports accounts, keys and subscriptions, shows none of their secrets, and changes nothing the second time', async () => {
    const sha256 = createHash('sha256').update('shop_0123456789abcdef0123456789abcdef').digest('hex')
    const old = { secret: 'short-secret', signatures: [HMAC], createdAt: '2020-05-01T10:00:00Z', description: 'ERP' }
    const file = lines(
      { kind: 'account', id: 'acc_a', name: 'Ada' },
      { kind: 'key', accountId: 'acc_a', name: 'ERP', scopes: ['webhooks.read'], sha256 },
      subscription('acc_a', 'end_1', old),
      subscription('acc_a', 'end_2', { targetUrl: 'https://localhost/end_1' }),
      '',
    )
    const first = await run(file)
    const why = 'Another subscription has the same integration, target, event types and externalRef.'
    expect(first).toEqual({
      code: 0,
      stdout: `line 4: duplicate: ${why} Both receive every event.\n`,
      stderr: '3 imported, 1 duplicate.\n',
    })
    const found = await world.callboard.subscriptions.find({ accountId: 'acc_a', id: 'end_1' })
    expect(found).toMatchObject({ description: 'ERP', createdAt: new Date(old.createdAt), signatures: [HMAC] })
    expect(await run(file)).toMatchObject({ code: 0, stdout: '', stderr: '4 existing.\n' })
    const audit = await world.run('audit --account acc_a')
    expect(audit.stdout).toContain('subscription.imported')
    expect(audit.stdout).toContain('key.imported')
    for (const text of [first.stdout, first.stderr, audit.stdout])
      for (const secret of ['short-secret', WHSEC, sha256]) expect(text).not.toContain(secret)
  })

  it('lists each refused line with its number and reason, and imports the others', async () => {
    const more = Array.from({ length: 501 }, (_, index) => subscription('acc_full', `full_${index}`))
    const file = lines(
      ...[
        { kind: 'account', id: 'acc_b', name: 'Bo' },
        { kind: 'account', id: 'acc_full', name: 'Full' },
      ],
      '{"kind":"subscription","secret":"sesame',
      '["sesame"]',
      { kind: 'endpoint' },
      { kind: 'account', id: 'acc_c' },
      subscription('acc_nobody', 'end_10'),
      subscription('acc_b', 'end_11', { eventTypes: ['order.lost'] }),
      subscription('acc_b', 'end_12', { targetUrl: 'https://10.0.0.1/' }),
      subscription('acc_b', 'end_13', { secret: 'sesame' }),
      subscription('acc_b', 'end_14', { createdAt: 'yesterday' }),
      subscription('acc_b', 'end_15', { note: 'sesame', secret: null, secrets: [{ secret: WHSEC, until: 'sesame' }] }),
      { kind: 'key', accountId: 'acc_b', name: 'K', scopes: [], sha256: 'sesame' },
      `{"kind":"${'x'.repeat(200_000)}"}`,
      subscription('acc_b', 'end_16'),
      ...more,
    )
    await world.callboard.accounts.create({ id: 'acc_full', name: 'Full' })
    const dry = await run(lines(...more), '--dry-run')
    expect(dry.stderr, 'the last line is judged in another call').toContain('500 imported, 1 unchecked. Not checked')
    const { code, stdout, stderr } = await run(file)
    expect(stdout.replaceAll(/^line (\d+): refused: /gm, '$1 ').split('\n')).toEqual([
      '3 The line is not JSON in UTF-8. Write one JSON object a line.',
      '4 The line is not a JSON object.',
      '5 kind must be one of: account, key, subscription.',
      expect.stringMatching(/^6 .*name/),
      '7 No account has this id. Create it first.',
      '8 Unknown event type in eventTypes: "order.lost". `callboard catalog list` lists the valid ones.',
      expect.stringMatching(/^9 targetUrl has an IP address .*targets\.allowedCidrs/),
      expect.stringMatching(/^10 secret must be whsec_/),
      '11 createdAt must be a time such as 2026-10-01T12:00:00Z.',
      '12 Unknown fields in secrets.0: "until". Unknown fields: "note".',
      '13 sha256 must be the SHA-256 of the token, as 64 hexadecimal digits.',
      '14 The line is longer than 128 KiB. Write one JSON object a line.',
      expect.stringMatching(/^516 .*500 subscriptions/),
      '',
    ])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: '502 imported, 1 existing, 13 refused.\nerror: 13 lines were refused.\n',
    })
    expect(stdout).not.toContain('sesame')
    expect(await world.callboard.subscriptions.list({ accountId: 'acc_b' })).toHaveLength(1)
  })

  it('counts refusals with the same reason, and says whether an id is taken or its values have changed', async () => {
    await run(lines({ kind: 'account', id: 'acc_g', name: 'Gil' }, subscription('acc_g', 'end_30')))
    const file = lines(
      ...Array.from({ length: 5 }, (_, index) => subscription('acc_nobody', `end_3${index + 1}`)),
      subscription('acc_g', 'end_30', { mode: 'test' }),
    )
    const { stdout, stderr } = await run(file)
    expect(stdout.match(/^line \d: refused: No account has this id/gm)).toHaveLength(5)
    expect(stdout).toContain('line 6: refused: Another subscription has this id.\n')
    expect(stderr).toContain('5 lines (1, 2, 3, …): refused: No account has this id. Create it first.\n6 refused.\n')
    const changed = await run(lines(subscription('acc_g', 'end_30', { description: 'another' })))
    expect(changed.stdout).toContain(
      'line 1: refused: The subscription was imported before with other values. Remove it',
    )
  })

  it('takes null in an optional field of a key as left out, and refuses other values line by line', async () => {
    const key = { kind: 'key', accountId: 'acc_k', name: 'K', scopes: [] }
    const none = { id: null, limits: null, expiresAt: null, createdAt: null, apiVersion: null }
    const file = lines(
      { kind: 'account', id: 'acc_k', name: 'Kay' },
      { ...key, sha256: 'b'.repeat(64), ...none },
      ...[{ id: 5 }, { limits: 5 }, { limits: [null, 1, {}] }, { limits: {} }, { apiVersion: 5 }, { mode: null }].map(
        (wrong) => ({ ...key, sha256: 'c'.repeat(64), ...wrong }),
      ),
    )
    const { stdout, stderr } = await run(file)
    expect(stdout.match(/^line \d: refused: \S+ \S+/gm)).toEqual([
      'line 3: refused: id must',
      ...[4, 5, 6].map((line) => `line ${line}: refused: limits must`),
      'line 7: refused: Unknown apiVersion.',
      'line 8: refused: mode must',
    ])
    expect(stderr).toContain('2 imported, 6 refused.')
  })

  it('refuses fields that it does not know, so that a revoked key does not become valid', async () => {
    const key = { kind: 'key', accountId: 'acc_u', name: 'K', scopes: [], sha256: 'd'.repeat(64) }
    const file = lines(
      { kind: 'account', id: 'acc_u', name: 'Uma' },
      { kind: 'account', id: 'acc_v', name: 'Vi', deletedAt: '2026-01-01T00:00:00Z' },
      { ...key, revokedAt: '2026-01-01T00:00:00Z', expires_at: null },
    )
    const { stdout } = await run(file)
    expect(stdout).toBe(
      'line 2: refused: Unknown fields: "deletedAt".\nline 3: refused: Unknown fields: "revokedAt", "expires_at".\n',
    )
    expect((await world.callboard.keys.list({ accountId: 'acc_u' })).keys).toEqual([])
  })

  it('refuses a line that is not UTF-8, and reads characters that end in another chunk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'callboard-import-'))
    const name = 'é'.repeat(200)
    const filler = ' '.repeat(65_500) // a file is read in chunks of 64 KiB
    const account = JSON.stringify({ kind: 'account', id: 'acc_8', name })
    const broken = JSON.stringify(subscription('acc_8', 'end_8', { secret: 'caf\u00e9', signatures: [HMAC] }))
    const bytes = [
      Buffer.from(`\uFEFF${account.slice(0, 1)}${filler}${account.slice(1)}\r\n`),
      Buffer.from(broken, 'latin1'),
    ]
    await writeFile(join(folder, 'file.jsonl'), bytes)
    const { stdout } = await world.run(`import --from ${join(folder, 'file.jsonl')}`)
    await rm(folder, { recursive: true })
    expect(stdout).toBe('line 2: refused: The line is not JSON in UTF-8. Write one JSON object a line.\n')
    expect(await world.callboard.accounts.find({ id: 'acc_8' })).toMatchObject({ name })
  })

  it('says in a dry run what would happen, also for accounts of the same file, and stores nothing', async () => {
    const file = lines(
      { kind: 'account', id: 'acc_d', name: 'Di' },
      subscription('acc_d', 'end_20'),
      subscription('acc_e', 'end_21'),
      { kind: 'key', accountId: 'acc_d', name: 'K', scopes: [], sha256: 'a'.repeat(64) },
      { kind: 'account', id: 'acc_f', name: 'n'.repeat(256) },
      subscription('acc_f', 'end_22'),
    )
    const { code, stdout, stderr } = await run(file, '--dry-run --json')
    const issues = [{ path: 'accountId', code: 'UNKNOWN', message: 'No account has this id. Create it first.' }]
    expect(JSON.parse(stdout)).toEqual({
      ...{ dryRun: true, imported: 1, existing: 0, duplicate: 0, unchecked: 2, refused: 3 },
      lines: [
        { line: 3, kind: 'subscription', outcome: 'refused', issues },
        { line: 5, kind: 'account', outcome: 'refused', issues: [expect.objectContaining({ path: 'name' })] },
        { line: 6, kind: 'subscription', outcome: 'refused', issues },
      ],
    })
    expect({ code, error: JSON.parse(stderr).error.code }).toEqual({ code: 1, error: 'FAILED' })
    expect(await world.callboard.accounts.find({ id: 'acc_d' })).toBeUndefined()
    expect((await run(file, '--dry-run')).stderr).toContain(
      '1 imported, 2 unchecked, 3 refused. Not checked: keys, and',
    )
  })

  it.each(['none.jsonl', '.'])('exits with 2 for a file that cannot be read: %s', async (file) => {
    const { code, stderr } = await world.run(`import --from ${file}`)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--from cannot be read') })
  })
})
