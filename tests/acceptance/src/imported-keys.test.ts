import { createHash, randomBytes } from 'node:crypto'
import { createId, type ImportKeyInput } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import type { Store } from '@callboard/core/store'
import { createRouter } from '@callboard/router'
import { describe, expect } from 'vitest'
import { callerOf, issueKey, thrownBy } from './arrange.ts'
import { describeOnEachStore, type FacadeOptions, type SampleCallboard } from './on-each-store.ts'

/** A token of another system. */
const newToken = (): string => `acme-${randomBytes(24).toString('base64url')}`
const sha256 = (token: string): string => createHash('sha256').update(token).digest('hex')

function inputFor(token: string, overrides: Partial<ImportKeyInput> = {}): ImportKeyInput {
  return { accountId: 'acc', name: 'Zapier', scopes: ['webhooks.read'], sha256: sha256(token), ...overrides }
}

async function me(callboard: SampleCallboard, token: string): Promise<{ status: number; body: unknown }> {
  const request = new Request('https://api.example.com/v1/me', { headers: { authorization: `Bearer ${token}` } })
  const response = await createRouter(callboard).fetch(request)
  return { status: response.status, body: await response.json() }
}

/** A facade that imports keys, and the number of calls in which it has looked up a token. */
function importing(callboard: SampleCallboard, open: (options: FacadeOptions) => SampleCallboard, importedKeys = true) {
  const { store } = engineOf(callboard)
  let lookUps = 0
  const admission: Store<unknown>['admission'] = {
    identify: async (tokenHash) => {
      lookUps++
      return store.admission.identify(tokenHash)
    },
    admitRequest: async (request) => {
      lookUps++
      return store.admission.admitRequest(request)
    },
  }
  return { facade: open({ store: { ...store, admission }, importedKeys }), lookUps: () => lookUps }
}

describeOnEachStore('imported keys', {
  any(it) {
    it('are accepted by the API beside those that Callboard issued', async ({ callboard, open }) => {
      const { facade } = importing(callboard, open)
      const token = newToken()
      const createdAt = new Date('2021-03-04T05:06:07.089Z')
      const imported = await facade.keys.import(inputFor(token, { mode: 'test', createdAt }))
      expect(imported).toMatchObject({ name: 'Zapier', mode: 'test', created: true, createdAt, lastUsedAt: undefined })
      expect(await me(facade, token)).toMatchObject({ status: 200, body: { entity: { id: 'acc' } } })
      expect(await callerOf(facade, token)).toMatchObject({
        keyId: imported.id,
        mode: 'test',
        scopes: ['webhooks.read'],
      })
      expect((await me(facade, (await issueKey(facade)).token)).status).toBe(200)
      expect(JSON.stringify(await facade.keys.list({ accountId: 'acc' }))).not.toContain(sha256(token))
      const { entries } = await facade.audit.list({ accountId: 'acc', objectId: imported.id })
      expect(entries).toMatchObject([{ action: 'key.imported', details: { scopes: ['webhooks.read'] } }])
    })

    it('are imported once, whatever has become of them since', async ({ callboard, open }) => {
      const { facade } = importing(callboard, open)
      const token = newToken()
      const { created, ...first } = await facade.keys.import(inputFor(token))
      expect(created).toBe(true)
      expect(await facade.keys.import(inputFor(token, { name: 'Other', id: createId('key') }))).toEqual({
        ...first,
        created: false,
      })
      await facade.keys.revoke({ accountId: 'acc', id: first.id })
      expect(await facade.keys.import(inputFor(token))).toMatchObject({ created: false, revokedAt: expect.any(Date) })
      expect((await me(facade, token)).status).toBe(401)
      expect((await facade.audit.list({ accountId: 'acc', objectId: first.id })).entries).toHaveLength(2)
    })

    it('belong to one account and mode', async ({ callboard, open }) => {
      const { facade } = importing(callboard, open)
      await facade.accounts.create({ id: 'other', name: 'Other' })
      const token = newToken()
      const { id } = await facade.keys.import(inputFor(token))
      for (const other of [{ accountId: 'other' }, { mode: 'test' }, { sha256: sha256(newToken()), id }] as const)
        expect(await thrownBy(facade.keys.import(inputFor(token, other)))).toMatchObject({ code: 'KEY_EXISTS' })
    })

    it('get a token of Callboard when they are rotated', async ({ callboard, open }) => {
      const { facade } = importing(callboard, open)
      const token = newToken()
      const { id } = await facade.keys.import(inputFor(token))
      const successor = await facade.keys.rotate({ accountId: 'acc', id, overlapMs: 0 })
      expect(successor.token).toMatch(/^cb_live_[0-9A-Za-z]{71}$/)
      expect([(await me(facade, token)).status, (await me(facade, successor.token)).status]).toEqual([401, 200])
    })

    it('need the option importedKeys, without which a token of another form is refused without a look-up', async ({
      callboard,
      open,
    }) => {
      const token = newToken()
      await open({ importedKeys: true }).keys.import(inputFor(token))
      const { facade, lookUps } = importing(callboard, open, false)
      expect((await me(facade, token)).status).toBe(401)
      expect(lookUps()).toBe(0)
      expect(await thrownBy(facade.keys.import(inputFor(token)))).toMatchObject({ code: 'CONFIGURATION_INVALID' })
    })

    describe('with a flood of random tokens', () => {
      it('cost one look-up for each token that may be an imported one', async ({ callboard, open }) => {
        const { facade, lookUps } = importing(callboard, open)
        for (let count = 0; count < 10; count++) expect((await me(facade, newToken())).status).toBe(401)
        expect(lookUps()).toBe(10)
        for (const token of ['x'.repeat(19), 'x'.repeat(513), 'a,b', `${newToken()} x`])
          expect((await me(facade, token)).status, token).toBe(401)
        expect(lookUps()).toBe(10)
        expect((await me(facade, 'x'.repeat(512))).status).toBe(401)
        expect(lookUps()).toBe(11)
      })
    })

    it('are refused with the name of the field that is wrong', async ({ callboard, open }) => {
      const { facade } = importing(callboard, open)
      const wrong = [
        ['sha256', { sha256: newToken() }],
        ['sha256', { sha256: sha256('x').slice(1) }],
        ['sha256', { sha256: undefined as never }],
        ['createdAt', { createdAt: new Date(Number.NaN) }],
        ['createdAt', { createdAt: new Date(Date.now() + 60_000) }],
        ['expiresAt', { expiresAt: new Date(0) }],
        ['scopes', { scopes: ['admin' as never] }],
        ['id', { id: 'mine' }],
      ] as const
      for (const [path, overrides] of wrong)
        expect(await thrownBy(facade.keys.import(inputFor(newToken(), overrides)))).toMatchObject({
          issues: [{ path }],
        })
      expect((await facade.keys.list({ accountId: 'acc' })).keys).toEqual([])
    })
  },
})
