import { createCallboard, defineCatalog, type LogEntry } from '@callboard/core'
import { startWorker } from '@callboard/delivery'
import { describe, expect } from 'vitest'
import { describeOnEachStore, facadeOptions } from './on-each-store.ts'
import { catalog } from './sample-catalog.ts'

const { types } = catalog
const CURRENT = catalog.version
const ENDED = '2026-04-01'
const LOST = '2026-01-01'

/** The sample catalogue with a previous version that has ended. Both versions have the same shapes. */
const withEnded = defineCatalog({
  version: CURRENT,
  types,
  previous: [{ version: ENDED, deprecated: '2026-05-01', sunset: '2026-06-01', enforceSunset: true }],
})
/** An earlier catalogue. The sample catalogue lacks both of its versions. */
const former = defineCatalog({ version: ENDED, types, previous: [{ version: LOST }] })

const subscription = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] } as const
const order = { accountId: 'acc', type: 'order.paid', subject: { type: 'order', id: 'ord_1' } } as const
const data = { order: { id: 'ord_1', buyer: { entity_id: 'per_1' } } }

describeOnEachStore('format versions in use', {
  any(it) {
    describe('the list of versions', () => {
      it('counts subscriptions and keys by version, and the events of versions that the catalogue lacks', async ({
        fixture,
        callboard,
      }) => {
        const before = createCallboard({ ...facadeOptions(fixture), catalog: former })
        await before.subscriptions.create({ accountId: 'acc', ...subscription, apiVersion: LOST })
        await before.keys.issue({ accountId: 'acc', name: 'k', scopes: [] })
        await before.publish({ ...order, data })
        const { versions } = callboard
        const expected = [
          { version: CURRENT, servedAs: CURRENT, subscriptions: 0, keys: 0, events: undefined, retirement: undefined },
          { version: ENDED, servedAs: CURRENT, subscriptions: 0, keys: 1, events: 1, retirement: undefined },
          { version: LOST, servedAs: CURRENT, subscriptions: 1, keys: 0, events: 0, retirement: undefined },
        ]
        expect(await versions.list()).toEqual(expected)
        expect(await versions.missing()).toEqual(expected.slice(1))
      })

      it('lists a version as missing once it has ended, as long as something is pinned to it', async ({ fixture }) => {
        const now = () => Date.parse('2026-05-31T23:59:59.999Z')
        const options = { ...facadeOptions(fixture), catalog: withEnded }
        const before = createCallboard({ ...options, now })
        await before.accounts.create({ id: 'acc', name: 'Acme' })
        const key = await before.keys.issue({ accountId: 'acc', name: 'k', scopes: [], apiVersion: ENDED })
        expect(await before.versions.missing()).toEqual([])
        const after = createCallboard({ ...options, now: () => Date.parse('2026-06-01') })
        expect(await after.versions.missing()).toMatchObject([{ version: ENDED, servedAs: CURRENT, keys: 1 }])
        await after.keys.setApiVersion({ accountId: 'acc', id: key.id, apiVersion: CURRENT })
        expect(await after.versions.missing()).toEqual([])
      })
    })

    describe('moving a version', () => {
      it('moves its subscriptions and keys, but only to a version that is served', async ({ callboard }) => {
        const { versions } = callboard
        await callboard.subscriptions.create({ accountId: 'acc', ...subscription })
        await expect(versions.move({ from: CURRENT, to: LOST })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
        expect(await versions.move({ from: LOST, to: CURRENT })).toEqual({ subscriptions: 0, keys: 0 })
      })

      it('moves subscriptions of missing versions to the version in which they are already served', async ({
        fixture,
        callboard,
      }) => {
        const before = createCallboard({ ...facadeOptions(fixture), catalog: former })
        const { id } = await before.subscriptions.create({ accountId: 'acc', ...subscription, apiVersion: LOST })
        const { subscriptions, versions } = callboard
        expect(await collect(versions.subscriptions({ version: LOST }))).toMatchObject([{ id, apiVersion: LOST }])
        expect(await versions.moveMissing()).toMatchObject([{ version: LOST, subscriptions: 1 }])
        expect(await subscriptions.find({ accountId: 'acc', mode: 'live', id })).toMatchObject({ apiVersion: CURRENT })
        expect(await collect(versions.subscriptions({ version: LOST }))).toEqual([])
        expect(await versions.missing()).toEqual([])
      })

      it('does not move a subscription whose version is newer than the catalogue', async ({ fixture, callboard }) => {
        const newer = defineCatalog({ version: '2027-01-01', types, previous: [{ version: CURRENT }] })
        const after = createCallboard({ ...facadeOptions(fixture), catalog: newer })
        const { id } = await after.subscriptions.create({ accountId: 'acc', ...subscription })
        const { subscriptions, versions } = callboard
        expect(await versions.moveMissing()).toEqual([])
        expect(await subscriptions.find({ accountId: 'acc', mode: 'live', id })).toMatchObject({
          apiVersion: '2027-01-01',
        })
      })
    })

    describe('a missing version', () => {
      it('is in the answer of health(), which stays ok', async ({ fixture, callboard }) => {
        const before = createCallboard({ ...facadeOptions(fixture), catalog: former })
        await before.keys.issue({ accountId: 'acc', name: 'k', scopes: [] })
        const missingVersions = [{ version: ENDED, servedAs: CURRENT, keys: 1, subscriptions: 0, events: 0 }]
        expect(await callboard.health()).toMatchObject({ ok: true, missingVersions })
        expect(await before.health()).toMatchObject({ ok: true, missingVersions: [] })
      })

      it('is reported when a worker starts, and a worker with moveMissingVersions moves its keys', async ({
        fixture,
      }) => {
        const before = createCallboard({ ...facadeOptions(fixture), catalog: former })
        await before.accounts.create({ id: 'acc', name: 'Acme' })
        await before.keys.issue({ accountId: 'acc', name: 'k', scopes: [] })
        const log: LogEntry[] = []
        const callboard = createCallboard({ ...facadeOptions(fixture), log: (entry) => log.push(entry) })
        const warnings = () =>
          log.filter(({ message }) => message.includes('format version')).map(({ fields }) => fields)
        const first = await startWorker(callboard)
        await first.stop()
        const reported = { version: ENDED, servedAs: CURRENT, subscriptions: 0, keys: 1, events: 0 }
        expect(warnings()).toEqual([reported])
        const second = await startWorker(callboard, { moveMissingVersions: true })
        await second.stop()
        expect(warnings()).toEqual([reported, reported])
        expect(await callboard.versions.missing()).toEqual([])
      })
    })
  },
})

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
