import { type TestAPI, test } from 'vitest'
import type { RaceFixture, StoreFixture, TransactionFixture } from './fixtures.ts'

/** The argument that a test gets: the members of its own fixture. */
type Arguments<Fixture> = { readonly fixture: Fixture } & Omit<Fixture, 'cleanup'>

/** `it` for tests with one store handle. */
export type StoreIt = TestAPI<Arguments<StoreFixture<unknown>>>
/** {@link StoreIt} with transactions of the platform. */
export type TransactionIt<Tx> = TestAPI<Arguments<TransactionFixture<Tx>>>
/** {@link TransactionIt} with more handles on the same data. */
export type RaceIt<Tx> = TestAPI<Arguments<RaceFixture<Tx>>>

export function storeIt<Tx>(factory: () => Promise<StoreFixture<Tx>>): StoreIt {
  return test.extend<Arguments<StoreFixture<unknown>>>({
    fixture: useFixture<StoreFixture<unknown>>(factory),
    store: ({ fixture }, use) => use(fixture.store),
    advance: ({ fixture }, use) => use((ms) => fixture.advance(ms)),
  })
}

export function transactionIt<Tx>(factory: () => Promise<TransactionFixture<Tx>>): TransactionIt<Tx> {
  return test.extend<Arguments<TransactionFixture<Tx>>>({
    fixture: useFixture(factory),
    store: ({ fixture }, use) => use(fixture.store),
    advance: ({ fixture }, use) => use((ms) => fixture.advance(ms)),
    begin: ({ fixture }, use) => use(() => fixture.begin()),
  })
}

export function raceIt<Tx>(factory: () => Promise<RaceFixture<Tx>>): RaceIt<Tx> {
  return test.extend<Arguments<RaceFixture<Tx>>>({
    fixture: useFixture(factory),
    store: ({ fixture }, use) => use(fixture.store),
    advance: ({ fixture }, use) => use((ms) => fixture.advance(ms)),
    begin: ({ fixture }, use) => use(() => fixture.begin()),
    another: ({ fixture }, use) => use(() => fixture.another()),
  })
}

/** Gets a fixture from the factory for each test, and cleans it up afterwards. */
function useFixture<Fixture extends { cleanup(): void | Promise<void> }>(factory: () => Promise<Fixture>) {
  // The destructuring pattern tells vitest which other fixtures a fixture needs. This fixture needs none, so its
  // pattern names only the built-in `task`.
  return async (
    { task: _task }: object & { task?: unknown },
    use: (fixture: Fixture) => Promise<void>,
  ): Promise<void> => {
    const fixture = await factory()
    try {
      await use(fixture)
    } finally {
      await fixture.cleanup()
    }
  }
}
