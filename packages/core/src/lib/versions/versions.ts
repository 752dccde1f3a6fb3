import { assertVersion } from '../events/api-version.ts'
import type { Retirement } from '../events/catalog-version.ts'
import type { Formats } from '../events/formats.ts'
import type { SubscriptionRecord, SubscriptionRef } from '../ports/subscription-store.ts'
import type { PinnedCount, VersionStore } from '../ports/version-store.ts'

/** How many stored events of a version are counted at most. */
const COUNTED_EVENTS = 10_000

/** A format version of the catalogue, or one that is still in use. Counts are over all accounts and modes. */
export interface VersionUse extends PinnedCount {
  /** The version that is sent to whoever is pinned to this one: itself, unless it has ended or left the catalogue. */
  readonly servedAs: string
  /** Stored events, if the catalogue lacks the version: 10,000 also stands for more. Otherwise undefined. */
  readonly events: number | undefined
  /** Undefined for the current version, and if the catalogue lacks the version. */
  readonly retirement: Retirement | undefined
}

/** The format versions of all accounts, for the platform's operators. */
export interface Versions {
  /** Lists the versions of the catalogue, and others that subscriptions, keys or events have, newest first. */
  list(): Promise<VersionUse[]>
  /**
   * Lists the versions that have ended or left the catalogue while subscriptions or keys are pinned to them or events
   * have them.
   */
  missing(): Promise<VersionUse[]>
  /** Reads all subscriptions that are pinned to a version, page by page, in the order of their accounts. */
  subscriptions(version: string): AsyncIterable<SubscriptionRecord>
  /**
   * Pins every subscription and key that is pinned to `from` to `to` instead, which must be a version of the catalogue.
   * Returns how many. Throws `VALIDATION_FAILED`.
   */
  move(from: string, to: string): Promise<Omit<PinnedCount, 'version'>>
  /**
   * Pins everything that is pinned to a missing version to the version that it gets anyway. A version newer than the
   * catalogue is left alone, because a process with a newer catalogue uses it. Returns the versions that were moved.
   */
  moveMissing(): Promise<VersionUse[]>
}

const PAGE = 100

export function createVersions(store: VersionStore, formats: Formats): Versions {
  const list = async (): Promise<VersionUse[]> => {
    const known = formats.versions.map(({ version }) => version)
    const [pinned, stored] = await Promise.all([store.pinned(), store.eventsOutside(known, COUNTED_EVENTS)])
    const all = new Set([...known, ...pinned.map(({ version }) => version), ...stored.map(({ version }) => version)])
    return [...all]
      .sort()
      .reverse()
      .map((version) => ({
        subscriptions: 0,
        keys: 0,
        ...pinned.find((each) => each.version === version),
        version,
        servedAs: formats.served(version).version,
        events: known.includes(version) ? undefined : (stored.find((each) => each.version === version)?.events ?? 0),
        retirement: formats.versions.find((each) => each.version === version)?.retirement,
      }))
  }
  const missing = async (): Promise<VersionUse[]> =>
    (await list()).filter(
      ({ version, servedAs, subscriptions, keys, events = 0 }) =>
        version !== servedAs && subscriptions + keys + events > 0,
    )
  return {
    list,
    missing,
    async *subscriptions(version) {
      let after: SubscriptionRef | undefined
      do {
        const page = await store.subscriptionsIn(version, after, PAGE)
        yield* page
        after = page.length === PAGE ? page.at(-1) : undefined
      } while (after !== undefined)
    },
    async move(from, to) {
      assertVersion(to, formats)
      return store.move(from, to)
    },
    async moveMissing() {
      const moved = (await missing()).filter(
        ({ version, subscriptions, keys }) => version < formats.current && subscriptions + keys > 0,
      )
      for (const { version, servedAs } of moved) await store.move(version, servedAs)
      return moved
    },
  }
}
