import { createId, type RateLimits } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { createMemoryRateLimiter } from '@callboard/store-memory'
import { describe, expect } from 'vitest'
import { callerOf, issueKey, orderPaidEvent, pageOf, thrownBy } from './arrange.ts'
import { describeOnEachStore, type SampleCallboard } from './on-each-store.ts'

const HOUR_MS = 3_600_000
const REFUSED = { outcome: 'refused', credentials: 'invalid' }
/** Limits with windows so long that they do not reset while a test runs. */
const TWO: RateLimits = [
  { seconds: 500_000, limit: 2 },
  { seconds: 550_000, limit: 3 },
  { seconds: 600_000, limit: 4 },
]

async function admit(callboard: SampleCallboard, token: string): Promise<string> {
  return (await engineOf(callboard).admissions.admit(`Bearer ${token}`)).outcome
}

async function subscribe(callboard: SampleCallboard, token: string) {
  return engineOf(callboard).apiSubscriptions.create(await callerOf(callboard, token), {
    targetUrl: 'https://hooks.example.com/1',
    eventTypes: ['order.paid'],
    integration: 'zapier',
  })
}

describeOnEachStore('keys', {
  any(it) {
    describe('issuing', () => {
      it('creates one key per id, however often it is requested', async ({ callboard }) => {
        const id = createId('key')
        const { token } = await issueKey(callboard, { id })
        expect(await thrownBy(issueKey(callboard, { id }))).toMatchObject({ code: 'KEY_EXISTS' })
        expect(await thrownBy(issueKey(callboard, { id, accountId: 'nobody' }))).toMatchObject({
          code: 'ACCOUNT_UNKNOWN',
        })
        expect(await thrownBy(issueKey(callboard, { id: 'mine' }))).toMatchObject({ issues: [{ path: 'id' }] })
        expect(await admit(callboard, token)).toBe('admitted')
        expect((await callboard.keys.list({ accountId: 'acc' })).keys).toMatchObject([{ id }])
        expect(await callboard.keys.find({ accountId: 'acc', id })).toMatchObject({ id, name: 'test key' })
        await subscribe(callboard, token)
        expect(await callboard.keys.countSubscriptions({ accountId: 'acc', id })).toBe(1)
      })

      it('creates a token of the documented form and shows it only once', async ({ callboard, open }) => {
        const live = await issueKey(callboard)
        expect(live.token).toMatch(/^cb_live_[0-9A-Za-z]{71}$/)
        expect(live).toMatchObject({ accountId: 'acc', mode: 'live', name: 'test key', expiresAt: undefined })
        expect((await issueKey(open({ keyPrefix: 'tix' }), { mode: 'test' })).token).toMatch(
          /^tix_test_[0-9A-Za-z]{71}$/,
        )
        expect(JSON.stringify(await callboard.keys.list({ accountId: 'acc' }))).not.toContain(live.token)
      })

      it('creates a key that identifies its account, mode and scopes, without duplicate scopes', async ({
        callboard,
      }) => {
        const key = await issueKey(callboard, { mode: 'test', scopes: ['people.read', 'webhooks.read', 'people.read'] })
        await expect(engineOf(callboard).admissions.admit(`bearer ${key.token}`)).resolves.toMatchObject({
          outcome: 'admitted',
          caller: {
            keyId: key.id,
            account: { id: 'acc', name: 'Acme' },
            mode: 'test',
            scopes: ['people.read', 'webhooks.read'],
          },
        })
      })

      it('refuses invalid input and names the field', async ({ callboard }) => {
        const wrong = [
          ['name', { name: '' }],
          ['name', { name: 'a\u0000' }],
          ['name', { name: 'x'.repeat(101) }],
          ['scopes', { scopes: ['webhooks.admin' as never] }],
          ['mode', { mode: 'sandbox' as never }],
          ['expiresAt', { expiresAt: new Date(0) }],
          ['expiresAt', { expiresAt: new Date(Number.NaN) }],
          ['limits', { limits: [{ seconds: 0, limit: 1 }, TWO[1], TWO[2]] as RateLimits }],
          ['limits', { limits: [TWO[0], TWO[1]] as never }],
          ['limits', { limits: [TWO[0], TWO[1], { ...TWO[2], limit: 2 ** 31 }] as RateLimits }],
          ['limits', { limits: [TWO[0], TWO[1], { ...TWO[2], seconds: 30 * 86_400 }] as RateLimits }],
          ['accountId', { accountId: 'a\u0000b' }],
        ] as const
        for (const [path, overrides] of wrong)
          await expect(issueKey(callboard, overrides), JSON.stringify(overrides)).rejects.toMatchObject({
            code: 'VALIDATION_FAILED',
            issues: [{ path }],
          })
        expect(await callboard.keys.list({ accountId: 'acc' })).toEqual({ keys: [], nextCursor: null })
      })

      it('refuses an unknown account', async ({ callboard }) => {
        await expect(issueKey(callboard, { accountId: 'nobody' })).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' })
      })
    })

    describe('admission', () => {
      it('tells callers only whether their key is missing or invalid', async ({ callboard }) => {
        const { token } = await issueKey(callboard)
        const { token: revoked, id } = await issueKey(callboard)
        await callboard.keys.revoke({ accountId: 'acc', id })
        const middle = Math.floor(token.length / 2)
        const mistyped = `${token.slice(0, middle)}${token[middle] === 'x' ? 'y' : 'x'}${token.slice(middle + 1)}`
        // Headers without a Bearer token.
        for (const unsent of [null, '', `Basic ${token}`])
          await expect(engineOf(callboard).admissions.admit(unsent)).resolves.toEqual({
            outcome: 'refused',
            credentials: 'missing',
          })
        for (const text of [
          revoked,
          mistyped,
          token.slice(0, -1),
          `${token} ${token}`,
          `${token}\u0000`,
          token.toUpperCase(),
        ])
          await expect(engineOf(callboard).admissions.admit(`Bearer ${text}`)).resolves.toEqual(REFUSED)
      })

      it('refuses a token with another prefix', async ({ callboard, open }) => {
        const { token } = await issueKey(callboard)
        await expect(admit(open({ keyPrefix: 'tix' }), token)).resolves.toBe('refused')
        await expect(admit(callboard, token)).resolves.toBe('admitted')
      })
    })

    describe('the list', () => {
      it('contains all keys of the account, including revoked ones, newest first', async ({ callboard }) => {
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        const first = await issueKey(callboard, { name: 'first' })
        const second = await issueKey(callboard, { name: 'second', mode: 'test', limits: TWO })
        await issueKey(callboard, { accountId: 'other' })
        await callboard.keys.revoke({ accountId: 'acc', id: first.id })
        const { keys } = await callboard.keys.list({ accountId: 'acc' })
        expect(keys.map(({ id }) => id)).toEqual([second.id, first.id])
        expect(keys).toMatchObject([
          { name: 'second', mode: 'test', limits: TWO, revokedAt: undefined },
          { name: 'first', mode: 'live', limits: undefined, revokedAt: expect.any(Date) },
        ])
      })

      it('shows when each key was last used, with a delay of at most a minute', async ({ callboard, fixture }) => {
        const { token } = await issueKey(callboard)
        const lastUsedAt = async () => (await callboard.keys.list({ accountId: 'acc' })).keys[0]?.lastUsedAt?.getTime()
        await expect(lastUsedAt()).resolves.toBeUndefined()
        await admit(callboard, token)
        const first = (await lastUsedAt()) ?? 0
        expect(Math.abs(first - Date.now())).toBeLessThan(60_000)
        await fixture.advance(61_000)
        await admit(callboard, token)
        expect((await lastUsedAt()) ?? 0).toBeGreaterThan(first + 60_000)
      })
    })

    describe('the end of a key', () => {
      it('takes effect at the next request after a revocation, and disables the key’s subscriptions', async ({
        callboard,
      }) => {
        const key = await issueKey(callboard)
        const subscription = await subscribe(callboard, key.token)
        const revoked = await callboard.keys.revoke({ accountId: 'acc', id: key.id })
        await expect(admit(callboard, key.token)).resolves.toBe('refused')
        await expect(callboard.subscriptions.find(subscription)).resolves.toMatchObject({
          state: 'disabled',
          disabledReason: 'key',
        })
        expect(revoked.disabledSubscriptions).toBe(1)
        const again = await callboard.keys.revoke({ accountId: 'acc', id: key.id })
        expect(again).toEqual({ ...revoked, disabledSubscriptions: 0 })
      })

      it('happens automatically at expiresAt', async ({ callboard, fixture }) => {
        const { token } = await issueKey(callboard, { expiresAt: new Date(Date.now() + HOUR_MS) })
        await fixture.advance(HOUR_MS - 60_000)
        await expect(admit(callboard, token)).resolves.toBe('admitted')
        await fixture.advance(120_000)
        await expect(admit(callboard, token)).resolves.toBe('refused')
      })

      it('cannot be caused by another account', async ({ callboard }) => {
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        const key = await issueKey(callboard)
        for (const verb of ['revoke', 'rotate'] as const)
          await expect(callboard.keys[verb]({ accountId: 'other', id: key.id })).rejects.toMatchObject({
            code: 'NOT_FOUND',
          })
        await expect(callboard.keys.revoke({ accountId: 'acc', id: 'key_nonsense\u0000' })).rejects.toMatchObject({
          code: 'NOT_FOUND',
        })
        await expect(admit(callboard, key.token)).resolves.toBe('admitted')
      })
    })

    describe('rotation', () => {
      it('issues an equivalent successor, keeps the old key for 24 hours, and moves its subscriptions', async ({
        callboard,
        fixture,
      }) => {
        const old = await issueKey(callboard, {
          mode: 'test',
          limits: TWO,
          name: 'zap',
          scopes: ['webhooks.read', 'people.read'],
        })
        const subscription = await subscribe(callboard, old.token)
        const successor = await callboard.keys.rotate({ accountId: 'acc', id: old.id })
        expect(successor).toMatchObject({
          mode: 'test',
          limits: TWO,
          name: 'zap',
          scopes: ['webhooks.read', 'people.read'],
          expiresAt: undefined,
        })
        expect(successor.token).not.toBe(old.token)
        await expect(callboard.subscriptions.find(subscription)).resolves.toMatchObject({
          state: 'active',
          confirmedBy: successor.id,
        })
        await fixture.advance(24 * HOUR_MS - 60_000)
        await expect(admit(callboard, old.token)).resolves.toBe('admitted')
        await fixture.advance(120_000)
        await expect(admit(callboard, old.token)).resolves.toBe('refused')
        await expect(admit(callboard, successor.token)).resolves.toBe('admitted')
      })

      it('ends the old key at once when the overlap is 0', async ({ callboard, fixture }) => {
        const old = await issueKey(callboard)
        await callboard.keys.rotate({ accountId: 'acc', id: old.id, overlapMs: 0 })
        await fixture.advance(1)
        await expect(admit(callboard, old.token)).resolves.toBe('refused')
      })

      it('does not extend the life of the old key', async ({ callboard, fixture }) => {
        const old = await issueKey(callboard, { expiresAt: new Date(Date.now() + HOUR_MS) })
        await callboard.keys.rotate({ accountId: 'acc', id: old.id })
        await fixture.advance(HOUR_MS + 60_000)
        await expect(admit(callboard, old.token)).resolves.toBe('refused')
      })

      it('refuses a key that is unknown, revoked or already rotated, and one of two concurrent calls', async ({
        callboard,
      }) => {
        const key = await issueKey(callboard)
        const race = await Promise.allSettled([
          callboard.keys.rotate({ accountId: 'acc', id: key.id }),
          callboard.keys.rotate({ accountId: 'acc', id: key.id }),
        ])
        expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
        await expect(callboard.keys.rotate({ accountId: 'acc', id: key.id })).rejects.toMatchObject({
          code: 'NOT_FOUND',
        })
        await expect(callboard.keys.rotate({ accountId: 'acc', id: 'key_none' })).rejects.toMatchObject({
          code: 'NOT_FOUND',
        })
        const revoked = await issueKey(callboard)
        await callboard.keys.revoke({ accountId: 'acc', id: revoked.id })
        await expect(callboard.keys.rotate({ accountId: 'acc', id: revoked.id })).rejects.toMatchObject({
          code: 'NOT_FOUND',
        })
      })

      it('refuses an invalid overlap or expiry and leaves the key unchanged', async ({ callboard }) => {
        const wrong = [
          ['overlapMs', { overlapMs: -1 }],
          ['overlapMs', { overlapMs: Number.NaN }],
          ['overlapMs', { overlapMs: Number.POSITIVE_INFINITY }],
          ['expiresAt', { expiresAt: new Date(0) }],
          ['expiresAt', { expiresAt: new Date(Number.NaN) }],
        ] as const
        const key = await issueKey(callboard)
        for (const [path, options] of wrong)
          await expect(callboard.keys.rotate({ accountId: 'acc', id: key.id, ...options })).rejects.toMatchObject({
            code: 'VALIDATION_FAILED',
            issues: [{ path }],
          })
        expect((await callboard.keys.list({ accountId: 'acc' })).keys).toHaveLength(1)
        await expect(admit(callboard, key.token)).resolves.toBe('admitted')
      })

      it('leaves a subscription with the successor, even if the old key repeats the subscription’s creation', async ({
        callboard,
      }) => {
        const old = await issueKey(callboard)
        const { id } = await subscribe(callboard, old.token)
        const successor = await callboard.keys.rotate({ accountId: 'acc', id: old.id })
        await expect(subscribe(callboard, old.token)).resolves.toMatchObject({
          id,
          created: false,
          confirmedBy: successor.id,
        })
      })
    })

    describe('modes', () => {
      it('are separate: a test key sees neither events nor subscriptions of live mode', async ({ callboard }) => {
        await callboard.publishMany([orderPaidEvent(), orderPaidEvent({ mode: 'test' })])
        const live = await issueKey(callboard)
        const test = await issueKey(callboard, { mode: 'test' })
        const { data } = await pageOf(callboard, test.token)
        expect(data.map((event) => JSON.parse(event).livemode)).toEqual([false])
        const subscription = await subscribe(callboard, live.token)
        const same = await subscribe(callboard, test.token)
        expect(same.created).toBe(true)
        expect(same.id).not.toBe(subscription.id)
        const caller = await callerOf(callboard, test.token)
        await expect(engineOf(callboard).apiSubscriptions.remove(caller, subscription.id)).rejects.toMatchObject({
          code: 'NOT_FOUND',
        })
        await expect(callboard.subscriptions.list({ accountId: 'acc' })).resolves.toMatchObject([
          { id: subscription.id },
        ])
        await expect(callboard.subscriptions.find({ ...subscription, mode: 'test' })).resolves.toBeUndefined()
      })
    })

    describe('rate limits (section 8 of the /v1 contract)', () => {
      it('are 40 a second, 250 in 10 seconds and 800 a minute by default', async ({ callboard }) => {
        const { token } = await issueKey(callboard)
        const admission = await engineOf(callboard).admissions.admit(`Bearer ${token}`)
        expect(admission).toMatchObject({
          windows: [
            { seconds: 1, limit: 40 },
            { seconds: 10, limit: 250 },
            { seconds: 60, limit: 800 },
          ],
        })
      })

      it("are the platform's, unless the key has its own", async ({ open }) => {
        const callboard = open({ rateLimits: TWO })
        await callboard.accounts.create({ id: 'acc', name: 'Acme' })
        const own: RateLimits = [{ ...TWO[0], limit: 1 }, TWO[1], TWO[2]]
        const usual = await issueKey(callboard)
        const strict = await issueKey(callboard, { limits: own })
        const outcomes = async (token: string) => {
          const seen: string[] = []
          for (let count = 0; count < 3; count++) seen.push(await admit(callboard, token))
          return seen
        }
        await expect(outcomes(usual.token)).resolves.toEqual(['admitted', 'admitted', 'limited'])
        await expect(outcomes(strict.token)).resolves.toEqual(['admitted', 'limited', 'limited'])
      })

      it('count every authenticated request, whatever its outcome, except requests that the limits refuse', async ({
        callboard,
      }) => {
        const { token } = await issueKey(callboard, { limits: TWO })
        await engineOf(callboard).admissions.admitToEvents(`Bearer ${token}`, { limit: 0 })
        await engineOf(callboard).admissions.admitToEvents(`Bearer ${token}`, { type: 'no.such' })
        for (let count = 0; count < 3; count++) {
          const { admission, page } = await engineOf(callboard).admissions.admitToEvents(`Bearer ${token}`, {})
          await expect(async () => page('2026-10-01')).rejects.toThrow('only an admitted caller')
          expect(admission).toMatchObject({
            outcome: 'limited',
            windows: [{ remaining: 0 }, { remaining: 1 }, { remaining: 2 }],
          })
        }
      })

      it('admit exactly 2 of 20 concurrent requests if the limit is 2', async ({ callboard }) => {
        const { token } = await issueKey(callboard, { limits: TWO })
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => admit(callboard, token)))
        expect(outcomes.filter((outcome) => outcome === 'admitted')).toHaveLength(2)
      })

      it('are enforced by the platform’s own limiter, if there is one, instead of the store', async ({
        callboard,
        open,
      }) => {
        await callboard.publish(orderPaidEvent())
        const limited = open({ rateLimiter: createMemoryRateLimiter() })
        const { token } = await issueKey(callboard, { limits: TWO })
        await expect(admit(limited, token)).resolves.toBe('admitted')
        const first = await engineOf(limited).admissions.admitToEvents(`Bearer ${token}`, {})
        expect(first).toMatchObject({ admission: { outcome: 'admitted' } })
        await expect(first.page('2026-10-01')).resolves.toMatchObject({ data: [expect.any(String)] })
        const second = await engineOf(limited).admissions.admitToEvents(`Bearer ${token}`, {})
        expect(second).toMatchObject({
          admission: { outcome: 'limited', windows: [{ remaining: 0 }, { remaining: 1 }, { remaining: 2 }] },
        })
        await expect(async () => second.page('2026-10-01')).rejects.toThrow('only an admitted caller')
        await expect(admit(limited, `${token}x`)).resolves.toBe('refused')
        await expect(admit(callboard, token)).resolves.toBe('admitted')
      })

      it('do not admit revoked keys or missing scopes, even with the platform’s own limiter', async ({
        callboard,
        open,
      }) => {
        const limited = open({ rateLimiter: createMemoryRateLimiter() })
        const key = await issueKey(callboard, { scopes: [] })
        const { admission, page } = await engineOf(limited).admissions.admitToEvents(`Bearer ${key.token}`, {})
        expect(admission).toMatchObject({ outcome: 'admitted' })
        await expect(async () => page('2026-10-01')).rejects.toThrow('only an admitted caller')
        await callboard.keys.revoke({ accountId: 'acc', id: key.id })
        await expect(engineOf(limited).admissions.admit(`Bearer ${key.token}`)).resolves.toEqual(REFUSED)
      })
    })
  },
})
