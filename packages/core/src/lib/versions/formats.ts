import { CallboardError } from '../errors.ts'
import type { Catalog } from '../events/catalog.ts'
import { replaceInEnvelope, versionOf } from '../events/envelope.ts'
import type { EventType } from '../events/event-type.ts'
import type { OperationalTypes } from '../operational/operational-types.ts'
import { fingerprintOfPaths, isErased } from '../personal-data/erased-fingerprint.ts'
import { redactAgain, splice } from '../personal-data/redact.ts'
import { shapeFingerprint } from '../personal-data/shape-fingerprint.ts'
import type { EventText } from '../ports/stored-event.ts'
import type { CatalogVersion, ListedEventType, Retirement } from './catalog-version.ts'
import { type Conversion, createConversion } from './conversion.ts'
import { isPreviousType } from './previous-type.ts'

/** The shape of an event type in one format version. */
export interface Shape {
  readonly type: string
  readonly personalDataPaths: readonly string[]
  readonly fingerprint: string
}

/** Decides which format version of a catalogue a reader gets, and renders events in that version. */
export interface Formats {
  /** The version of events that are published now. */
  readonly current: string
  /** Every version of the catalogue, newest first. */
  readonly versions: readonly CatalogVersion[]
  /** Every shape of every event type. */
  readonly shapes: readonly Shape[]
  /** Whether a version is in the catalogue and has not ended. */
  isServed(version: string): boolean
  /** Whether a version is deprecated by now. */
  isDeprecated(version: string): boolean
  /** The versions that are served, newest first. */
  servedVersions(): CatalogVersion[]
  /**
   * The event types that an account can subscribe to in a version: those of the catalogue and, for the operational
   * account, Callboard's own. The same arguments always give the same array, so the array can be a cache key.
   */
  offered(version: CatalogVersion, accountId: string): readonly ListedEventType[]
  /** Whether events of this type can exist in the account, in any version. */
  knows(type: string, accountId: string): boolean
  /**
   * The version that a reader pinned to `pinned` gets: `pinned` itself if it is served, otherwise the next newer
   * version that is served, and the current version if there is none.
   */
  served(pinned: string): CatalogVersion
  /**
   * The version of an event that is newer than this catalogue and would have to be converted for a reader pinned to
   * `pinned`. Undefined if `render` knows what to do.
   */
  unknownVersion(event: EventText, pinned: string): string | undefined
  /**
   * The shape of a stored event. If the catalogue does not have the event's version, this is the shape in the next
   * newer version, or in the current version if there is none. Undefined for an event type that the catalogue does not
   * have.
   */
  shapeOf(event: Pick<EventText, 'type' | 'body'>): Shape | undefined
  /**
   * The envelope's text as stored, with or without personal data. Without personal data, fields that became personal
   * only after the event was stored are left out too.
   */
  stored(event: EventText, personalData: boolean): string
  /**
   * The envelope's text in the version that a reader pinned to `pinned` gets (see {@link served}). An event of that
   * version or an older one is returned as stored. If the reader's version does not have the event's type yet, the text
   * is in the oldest version that has it.
   *
   * @throws CallboardError `CONVERSION_FAILED`.
   */
  render(event: EventText, personalData: boolean, pinned: string): string
}

/** How to convert an event to an older version: the version that results, and the conversions to apply in order. */
interface Route {
  readonly version: string
  readonly conversions: readonly Conversion[]
}

/** @param own Callboard's own event types, which are not in the catalogue; none by default. */
export function createFormats(catalog: Catalog, now: () => number, own?: OperationalTypes): Formats {
  const versions = Object.values(catalog.versions).map((version) => withTypes(version, own?.types ?? []))
  const offeredToOwn = new Map(versions.map((each) => [each.version, [...each.listed, ...(own?.catalog.listed ?? [])]]))
  const indexes = new Map(versions.map(({ version }, index) => [version, index]))
  const shapes = versions.map((version) => shapesIn(version, own?.types ?? []))
  const fingerprints = new Map<string, Set<string>>()
  for (const { type, fingerprint } of shapes.flatMap((inVersion) => [...inVersion.values()]))
    fingerprints.set(type, (fingerprints.get(type) ?? new Set()).add(fingerprint))
  const isOwnType = (name: string): boolean => own?.types.some((type) => type.name === name) === true
  const routes = new Map<string, Route>()

  const hasBegun = (day: string | undefined): boolean => day !== undefined && now() >= Date.parse(`${day}T00:00:00Z`)
  const retirementOf = (version: string): Retirement | undefined =>
    versions[indexes.get(version) ?? versions.length]?.retirement
  const isServed = (version: string): boolean => {
    const { enforceSunset = false, sunset } = retirementOf(version) ?? {}
    return indexes.has(version) && !(enforceSunset && hasBegun(sunset))
  }
  const current = versions[0] ?? catalog
  const served = (pinned: string): CatalogVersion => {
    // A shortcut, because most readers are pinned to the current version.
    if (pinned === current.version) return current
    if (isServed(pinned)) return versions[indexes.get(pinned) ?? 0] ?? current
    return versions.findLast(({ version }) => version > pinned && isServed(version)) ?? current
  }

  /** Whether the event was stored in a shape that the catalogue has. False if the catalogue lacks its type. */
  const hasShapeOf = ({ type, fingerprint }: EventText): boolean =>
    fingerprints.get(type)?.has(fingerprintOfPaths(fingerprint)) === true

  const shapeOf: Formats['shapeOf'] = ({ type, body }) => {
    const version = versionOf(body)
    const index =
      indexes.get(version) ??
      Math.max(
        0,
        versions.findLastIndex((each) => each.version > version),
      )
    return shapes[index]?.get(type)
  }

  const storedAs = (event: EventText, personalData: boolean, hasShape: boolean): string => {
    const { body, patch, fingerprint } = event
    if (patch !== null && personalData) return splice(body, patch)
    // An erased event is redacted for every reader, because its type may have gained personal-data paths since the
    // event was stored.
    if (personalData && !isErased(fingerprint)) return body
    // An event stored before its type's paths changed may contain data that has become personal since.
    return hasShape ? body : redactAgain(body, shapeOf(event)?.personalDataPaths ?? [])
  }

  /**
   * Collects a type's conversions on the way from one version to an older one. Stops early at the oldest version that
   * has the type.
   */
  const route = (type: string, from: number, to: number): Route => {
    const conversions: Conversion[] = []
    let index = from
    while (index < to) {
      const older = versions[index + 1]?.get(type)
      if (older === undefined) break
      if (older !== versions[index]?.get(type) && isPreviousType(older)) conversions.push(createConversion(older))
      index += 1
    }
    return { version: versions[index]?.version ?? catalog.version, conversions }
  }

  const routeFrom = (type: string, from: number, to: number): Route => {
    const key = `${from} ${to} ${type}`
    const known = routes.get(key) ?? route(type, from, to)
    routes.set(key, known)
    return known
  }

  return {
    current: catalog.version,
    versions,
    shapes: shapes.flatMap((inVersion) => [...inVersion.values()]),
    isServed,
    isDeprecated: (version) => hasBegun(retirementOf(version)?.deprecated),
    servedVersions: () => versions.filter(({ version }) => isServed(version)),
    served,
    knows: (type, accountId) => fingerprints.has(type) && (accountId === own?.accountId || !isOwnType(type)),
    offered: (version, accountId) =>
      (accountId === own?.accountId ? offeredToOwn.get(version.version) : undefined) ?? version.listed,
    unknownVersion({ body }, pinned) {
      const version = versionOf(body)
      return version > catalog.version && version > pinned ? version : undefined
    },
    shapeOf,
    stored: (event, personalData) => storedAs(event, personalData, hasShapeOf(event)),
    render(event, personalData, pinned) {
      const hasShape = hasShapeOf(event)
      const text = storedAs(event, personalData, hasShape)
      const { version: wanted } = served(pinned)
      // A shortcut: if the event has one of the catalogue's shapes, its version is not newer than the current version,
      // so a reader of the current version gets it as stored.
      if (wanted === catalog.version && hasShape) return text
      const version = versionOf(text)
      if (version <= wanted || version <= pinned) return text
      const from = indexes.get(version)
      if (from === undefined)
        throw conversionFailed(event, version, wanted, new Error(`the catalogue has no version ${version}`))
      const { version: reached, conversions } = routeFrom(event.type, from, indexes.get(wanted) ?? 0)
      const sees = personalData && !isErased(event.fingerprint)
      try {
        return replaceInEnvelope(text, reached, (data) =>
          conversions.reduce((converted, convert) => convert(converted, sees), data),
        )
      } catch (error) {
        throw conversionFailed(event, version, reached, error)
      }
    },
  }
}

/** Adds types to a version. `get` finds them, but `types` and `listed` do not contain them. */
function withTypes(version: CatalogVersion, types: readonly EventType[]): CatalogVersion {
  if (types.length === 0) return version
  return { ...version, get: (name) => version.get(name) ?? types.find((type) => type.name === name) }
}

function shapesIn({ version, types }: CatalogVersion, own: readonly EventType[]): Map<string, Shape> {
  return new Map(
    [...types, ...own].map(({ name, personalDataPaths }) => [
      name,
      { type: name, personalDataPaths, fingerprint: shapeFingerprint(version, personalDataPaths) },
    ]),
  )
}

function conversionFailed({ id, type }: EventText, from: string, to: string, cause: unknown): CallboardError {
  const message = `${type} ${id} cannot be converted from version ${from} to ${to}.`
  return new CallboardError('CONVERSION_FAILED', message, { cause })
}
