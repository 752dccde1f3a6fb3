import type { CatalogDocument, TypeDocument } from './catalog-document.ts'
import { compareSchemas } from './compare-schemas.ts'

/** One change to a catalogue. */
export interface CatalogChange {
  readonly version: string
  /** Undefined if the whole version changed. */
  readonly type: string | undefined
  /** Path inside `data`; undefined if a type or a version was added or removed. */
  readonly path: string | undefined
  readonly message: string
  /** Whether a receiver that was written for the former catalogue can fail. */
  readonly breaks: boolean
}

/**
 * Compares two catalogues, version by version. A new version changes nothing for keys and subscriptions that are pinned
 * to unchanged older versions.
 */
export function compareCatalogs(before: CatalogDocument, now: CatalogDocument): CatalogChange[] {
  const removed = before.versions.flatMap(({ version, types }) => {
    const present = now.versions.find((each) => each.version === version)
    if (present === undefined)
      return [ofVersion(version, 'was removed: keys and subscriptions pinned to it get another version', true)]
    return compareTypes(version, types, present.types)
  })
  const added = now.versions
    .filter(({ version }) => !before.versions.some((each) => each.version === version))
    .map(({ version }) => ofVersion(version, 'was added', false))
  return [...added, ...removed]
}

function compareTypes(version: string, before: readonly TypeDocument[], now: readonly TypeDocument[]): CatalogChange[] {
  const ofType = (type: string, message: string, breaks: boolean): CatalogChange => {
    return { version, type, path: undefined, message, breaks }
  }
  const kept = before.flatMap((former) => {
    const present = now.find(({ name }) => name === former.name)
    if (present === undefined) return [ofType(former.name, 'was removed', true)]
    return compareType(version, former, present)
  })
  const added = now
    .filter(({ name }) => !before.some((each) => each.name === name))
    .map(({ name }) => ofType(name, 'was added', false))
  return [...kept, ...added]
}

function compareType(version: string, before: TypeDocument, now: TypeDocument): CatalogChange[] {
  const of = (path: string, message: string, breaks: boolean): CatalogChange => {
    return { version, type: before.name, path, message, breaks }
  }
  const hidden = now.personalDataPaths
    .filter((path) => !before.personalDataPaths.includes(path))
    .map((path) => of(path, 'is personal data now, and is missing without the scope people.read', true))
  const shown = before.personalDataPaths
    .filter((path) => !now.personalDataPaths.includes(path))
    .map((path) => of(path, 'is no longer personal data, and is shown to everybody', false))
  const changes = compareSchemas(before.schema, now.schema)
  return [...changes.map(({ path, message, breaks }) => of(path, message, breaks)), ...hidden, ...shown]
}

function ofVersion(version: string, message: string, breaks: boolean): CatalogChange {
  return { version, type: undefined, path: undefined, message, breaks }
}
