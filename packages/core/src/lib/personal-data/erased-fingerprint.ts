/** The fingerprint of an event begins with this prefix if, and only if, the personal data of the event was erased. */
export const ERASED_PREFIX = 'erased.'

/**
 * The fingerprint of an erased event. `paths` is the fingerprint of the personal-data paths that the event's type had
 * at the time of the erasure.
 */
export function erasedFingerprint(paths: string): string {
  return `${ERASED_PREFIX}${paths}`
}

export function isErased(fingerprint: string): boolean {
  return fingerprint.startsWith(ERASED_PREFIX)
}

/** The fingerprint of the paths at which data was removed from the event, whether or not the event was erased. */
export function fingerprintOfPaths(fingerprint: string): string {
  return isErased(fingerprint) ? fingerprint.slice(ERASED_PREFIX.length) : fingerprint
}
