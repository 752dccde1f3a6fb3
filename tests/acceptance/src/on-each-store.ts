import { type Callboard, type CallboardOptions, createCallboard } from '@callboard/core'
import { describe, type TestAPI, test } from 'vitest'
import { catalog, type SampleCatalog } from './sample-catalog.ts'
import { memoryFixture, pgliteFixtures, postgresFixtures, type SqlFixture, type StoreFixture } from './stores.ts'

export type SampleCallboard = Callboard<SampleCatalog, unknown>
export type FacadeOptions = Partial<CallboardOptions<SampleCatalog, unknown>>

interface Arguments<Fixture> {
  readonly fixture: Fixture
  /** The facade on the fixture's store, with an account `acc` named Acme. */
  readonly callboard: SampleCallboard
  /** Creates another facade on the same store, with other options. */
  readonly open: (options?: FacadeOptions) => SampleCallboard
}

type FacadeIt<Fixture> = TestAPI<Arguments<Fixture>>

/** Ring keys by their ids. */
export const RING: Readonly<Record<'k1' | 'k2', Uint8Array>> = {
  k1: new Uint8Array(32).fill(1),
  k2: new Uint8Array(32).fill(2),
}

/**
 * The options that all facades of these tests share. They allow a test to create many subscriptions within a minute.
 */
export function facadeOptions({ store }: Pick<StoreFixture, 'store'>): CallboardOptions<SampleCatalog, unknown> {
  return {
    catalog,
    store,
    secretKeys: { current: 'k1', keys: { k1: RING.k1 } },
    maxNewSubscriptionsPerMinute: 10_000,
    maxChangesPerMinute: 10_000,
  }
}

/**
 * `npm test` uses the memory store and a real Postgres. `test:faults` runs the same files with PGlite (STORES=pglite),
 * which takes longer than both together.
 */
const SQL_FIXTURES = process.env['STORES'] === 'pglite' ? { pglite: pgliteFixtures } : { postgres: postgresFixtures }

/**
 * Runs the suite `any` on each store, and the suite `sql` on those that are databases. Call it once per file.
 */
export function describeOnEachStore(
  title: string,
  suites: { readonly any?: (it: FacadeIt<StoreFixture>) => void; readonly sql?: (it: FacadeIt<SqlFixture>) => void },
): void {
  if (suites.any !== undefined && 'postgres' in SQL_FIXTURES)
    describe(`${title} [memory]`, () => suites.any?.(facadeIt(memoryFixture)))
  for (const [name, fixtures] of Object.entries(SQL_FIXTURES)) {
    describe(`${title} [${name}]`, () => {
      const factory = fixtures()
      suites.any?.(facadeIt<StoreFixture>(factory))
      suites.sql?.(facadeIt<SqlFixture>(factory))
    })
  }
}

export function facadeIt<Fixture extends StoreFixture>(factory: () => Promise<Fixture>): FacadeIt<Fixture> {
  return test.extend<Arguments<Fixture>>({
    fixture: async ({ task: _task }: object & { task?: unknown }, use: (fixture: Fixture) => Promise<void>) => {
      const fixture = await factory()
      try {
        await use(fixture)
      } finally {
        await fixture.cleanup()
      }
    },
    open: ({ fixture }, use) => use((options) => createCallboard({ ...facadeOptions(fixture), ...options })),
    callboard: async ({ open }, use) => {
      const callboard = open()
      await callboard.accounts.create({ id: 'acc', name: 'Acme' })
      await use(callboard)
    },
  })
}
