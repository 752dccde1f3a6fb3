import { type CurrentPaths, erasedFingerprint, isErased } from '@callboard/core/store'
import type { Model, ModelEvent } from './model.ts'

/** The event types of the model, with the fingerprint of each type's personal-data paths. */
export const FIRST_CATALOG: CurrentPaths = ['a', 'b', 'c'].map((type) => ({ type, fingerprint: 'f1' }))

/** Adds a personal-data path to a type. Processes that have not been updated still have the former catalogue. */
export function growCatalog(model: Model, grown: string): void {
  model.formerCatalog = model.catalog
  model.catalog = model.catalog.map(({ type, fingerprint }) => ({
    type,
    fingerprint: type === grown ? `f${Number(fingerprint.slice(1)) + 1}` : fingerprint,
  }))
}

/** The catalogue of a process. It is `outdated` if the process has not been updated since the catalogue grew. */
export function catalogOf({ catalog, formerCatalog }: Model, outdated: boolean): CurrentPaths {
  return outdated ? formerCatalog : catalog
}

export function fingerprintIn(catalog: CurrentPaths, type: string): string {
  return catalog.find((each) => each.type === type)!.fingerprint
}

/** Whether an event may still hold data that this catalogue declares as personal. */
export function mayHoldPersonalData({ type, patch, person, fingerprint }: ModelEvent, catalog: CurrentPaths): boolean {
  const paths = fingerprintIn(catalog, type)
  if (isErased(fingerprint)) return fingerprint !== erasedFingerprint(paths)
  return patch !== null || person !== undefined || fingerprint !== paths
}
