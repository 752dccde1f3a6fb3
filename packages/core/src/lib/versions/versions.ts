import type { Recorder } from '../audit/recorder.ts'
import type { SubscriptionRecord, SubscriptionRef } from '../ports/subscription-record.ts'
import type { PinnedCount, VersionStore } from '../ports/version-store.ts'
import { assertVersion } from './api-version.ts'
import type { Retirement } from './catalog-version.ts'
import type { Formats } from './formats.ts'

/** The stored events of a version are counted only up to this number. */
const COUNTED_EVENTS = 10_000

/** A format version of the catalogue, or one that is still in use. Counts are across all accounts and modes. */
export interface VersionUse extends PinnedCount {
  /**
   * The version that keys and subscriptions get when they are pinned to this version: this version itself, unless it
   * has ended or left the catalogue.
   */
  readonly servedAs: string
  /**
   * The number of stored events that have this version, capped at 10,000. Undefined for a version of the catalogue,
   * whose events are not counted.
   */
  readonly events: number | undefined
  /** Undefined for the current version, and for a version that the catalogue lacks. */
  readonly retirement: Retirement | undefined
}

/** The format versions of all accounts, for the platform's operators. */
export interface Versions {
  /** Lists the versions of the catalogue, and every other version that is still in use, newest first. */
  list(): Promise<VersionUse[]>
  /**
   * Lists the versions that have ended or left the catalogue, although subscriptions or keys are still pinned to them
   * or stored events still have them.
   */
  missing(): Promise<VersionUse[]>
  /** Reads all subscriptions that are pinned to a version, page by page, in the order of their accounts. */
  subscriptions(query: { readonly version: string }): AsyncIterable<SubscriptionRecord>
  /**
   * Moves all subscriptions and keys that are pinned to `from` to the version `to`, which must be served. Returns how
   * many it moved. Throws `VALIDATION_FAILED`.
   */
  move(versions: { readonly from: string; readonly to: string }): Promise<Omit<PinnedCount, 'version'>>
  /**
   * Moves every subscription and key that is pinned to a missing version (see {@link missing}) to the version that it
   * already gets (`servedAs`). Leaves out versions newer than the catalogue, because a process with a newer catalogue
   * uses them. Returns the missing versions whose subscriptions and keys were moved.
   */
  moveMissing(): Promise<VersionUse[]>
}

const PAGE = 100

export function createVersions(store: VersionStore, formats: Formats, { entry }: Pick<Recorder, 'entry'>): Versions {
  const move = (from: string, to: string) =>
    store.moveVersion(from, to, entry({ action: 'versions.moved', details: { from, to } }))
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
    async *subscriptions({ version }) {
      let after: SubscriptionRef | undefined
      do {
        const page = await store.subscriptionsIn(version, after, PAGE)
        yield* page
        after = page.length === PAGE ? page.at(-1) : undefined
      } while (after !== undefined)
    },
    async move({ from, to }) {
      assertVersion(to, formats)
      return move(from, to)
    },
    async moveMissing() {
      const moved = (await missing()).filter(
        ({ version, subscriptions, keys }) => version < formats.current && subscriptions + keys > 0,
      )
      for (const { version, servedAs } of moved) await move(version, servedAs)
      return moved
    },
  }
}
