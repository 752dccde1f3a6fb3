import type { Versions, VersionUse } from './versions.ts'

/** A result is cached for this many milliseconds, because readiness probes may ask every few seconds. */
const KEPT_MS = 60_000

/** Creates a function that returns the missing versions, and asks the store for them at most once a minute. */
export function createMissingVersionsCheck(
  versions: Pick<Versions, 'missing'>,
  now: () => number,
): () => Promise<readonly VersionUse[]> {
  let known: { readonly at: number; readonly missing: Promise<readonly VersionUse[]> } | undefined
  return () => {
    if (known === undefined || now() - known.at >= KEPT_MS || now() < known.at) {
      const missing = versions.missing()
      known = { at: now(), missing }
      // After a failure, the next call asks the store again.
      missing.catch(() => {
        known = undefined
      })
    }
    return known.missing
  }
}
