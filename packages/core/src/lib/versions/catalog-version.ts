import type { EventType } from '../events/event-type.ts'
import type { PreviousVersion } from './previous-version.ts'

/** An event type as `GET /v1/event-types` lists it. */
export interface ListedEventType {
  readonly type: string
  readonly family: string
  readonly descriptionKey: string
  readonly sample: object
  readonly personalDataPaths: readonly string[]
}

/** The event types of a catalogue in one format version. */
export interface CatalogVersion<T extends EventType = EventType> {
  /** Format version, a date: `2026-10-01`. */
  readonly version: string
  readonly types: readonly T[]
  get(name: string): T | undefined
  /** The types as `GET /v1/event-types` lists them. */
  readonly listed: readonly ListedEventType[]
  /** When the version becomes deprecated and when it ends; undefined for the current version. */
  readonly retirement: Retirement | undefined
}

/** The end of a previous version, as the platform announces it. Days are in UTC. */
export type Retirement = Pick<PreviousVersion, 'deprecated' | 'sunset' | 'enforceSunset' | 'link'>

/** The versions of a catalogue by their dates, with the event types of each. */
export type VersionsOf<T extends EventType, Version extends string, Previous extends readonly PreviousVersion[]> = {
  readonly [V in Version]: CatalogVersion<T>
} & OlderVersionsOf<T, Previous>

type OlderVersionsOf<T extends EventType, Previous extends readonly PreviousVersion[]> = Previous extends readonly [
  infer Next extends PreviousVersion,
  ...infer Rest extends readonly PreviousVersion[],
]
  ? { readonly [V in Next['version']]: CatalogVersion<TypesBefore<T, Next>> } & OlderVersionsOf<
      TypesBefore<T, Next>,
      Rest
    >
  : unknown

/** The event types of a previous version, given the event types of the next newer version. */
type TypesBefore<T extends EventType, Previous extends PreviousVersion> =
  | Exclude<T, { readonly name: Differing<Previous>['name'] | Absent<Previous> }>
  | Differing<Previous>

type Differing<Previous> = Previous extends { readonly types: readonly (infer T extends EventType)[] } ? T : never

type Absent<Previous> = Previous extends { readonly without: readonly (infer Name extends string)[] } ? Name : never

export function createVersion<T extends EventType>(version: string, types: readonly T[]): CatalogVersion<T> {
  return versionOfTypes(version, types, undefined)
}

/** Creates a previous version from its differences to the next newer version. */
export function createPreviousVersion(previous: PreviousVersion, newer: CatalogVersion): CatalogVersion {
  const { version, types: differing = [], without = [], deprecated, sunset, enforceSunset, link } = previous
  const byName = new Map(differing.map((type) => [type.name, type]))
  const kept = newer.types.filter(({ name }) => !without.includes(name)).map((type) => byName.get(type.name) ?? type)
  const ended = differing.filter(({ name }) => newer.get(name) === undefined)
  return versionOfTypes(version, [...kept, ...ended], { deprecated, sunset, enforceSunset, link })
}

function versionOfTypes<T extends EventType>(
  version: string,
  types: readonly T[],
  retirement: Retirement | undefined,
): CatalogVersion<T> {
  const byName = new Map<string, T>(types.map((type) => [type.name, type]))
  return {
    version,
    types: Object.freeze([...types]),
    get: (name) => byName.get(name),
    listed: Object.freeze(
      types.map(({ name, family, descriptionKey, sample, personalDataPaths }) => ({
        type: name,
        family,
        descriptionKey,
        sample,
        personalDataPaths,
      })),
    ),
    retirement,
  }
}
