import type * as z from 'zod'
import { CallboardError } from '../errors.ts'
import {
  type CatalogVersion,
  createPreviousVersion,
  createVersion,
  type VersionsOf,
} from '../versions/catalog-version.ts'
import type { PreviousVersion } from '../versions/previous-version.ts'
import { currentVersionIssues, previousVersionIssues } from '../versions/version-issues.ts'
import type { EventType } from './event-type.ts'

/** All event types of a platform: those of the current format version, and their shapes in previous versions. */
export interface Catalog<T extends EventType = EventType, Versions extends CatalogVersions = CatalogVersions>
  extends CatalogVersion<T> {
  /** Every version by its date, newest first, for example `catalog.versions['2026-10-01']`. */
  readonly versions: Versions
}

export type CatalogVersions = { readonly [version: string]: CatalogVersion }

/** Names of a catalogue's types, as a union. */
export type EventTypeName<C extends Catalog> = C['types'][number]['name']

/** Type of `data` when publishing: the input of the type's schema. */
export type EventData<C extends Catalog, Name extends EventTypeName<C>> = z.input<
  Extract<C['types'][number], { readonly name: Name }>['schema']
>

export interface CatalogDefinition<T extends EventType, Version extends string, Previous> {
  /** The current format version, a date: `2026-10-01`. */
  readonly version: Version
  /** The event types in the current version. */
  readonly types: readonly T[]
  /**
   * Previous versions, newest first; none by default. Keys and subscriptions that are pinned to a previous version keep
   * getting its shapes.
   */
  readonly previous?: Previous | undefined
}

/**
 * Defines a catalogue of event types. Each conversion to a previous version is tested with the sample of the event type
 * in the next newer version.
 *
 * @throws CallboardError `CATALOG_INVALID` with one issue per mistake, for example for a version that is not a date, a
 *   name defined twice, or a conversion whose result shows personal data or does not fit the previous version's schema.
 */
export function defineCatalog<
  T extends EventType,
  const Version extends string = string,
  const Previous extends readonly PreviousVersion[] = readonly [],
>(definition: CatalogDefinition<T, Version, Previous>): Catalog<T, VersionsOf<T, Version, Previous>>
export function defineCatalog({
  version,
  types,
  previous = [],
}: CatalogDefinition<EventType, string, readonly PreviousVersion[]>): Catalog {
  const current = createVersion(version, types)
  const versions = [current]
  const issues = currentVersionIssues(version, types)
  for (const [index, older] of previous.entries()) {
    const newer = versions[index] ?? current
    issues.push(...previousVersionIssues(older, newer))
    versions.push(createPreviousVersion(older, newer))
  }
  const [first] = issues
  if (first !== undefined)
    throw new CallboardError('CATALOG_INVALID', `The catalogue cannot be defined: ${first.message}`, { issues })
  return { ...current, versions: Object.freeze(Object.fromEntries(versions.map((each) => [each.version, each]))) }
}
