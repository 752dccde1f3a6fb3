/** A worker attends this often, in milliseconds, so that a dead worker is replaced within a second. */
export const ATTEND_MS = 250

/**
 * A worker that has not attended for this long is dead, in milliseconds, unless the store knows that its process still
 * exists. It is twenty times `ATTEND_MS`, so that a pause of the process or a slow call costs no leases.
 */
export const SILENCE_MS = 5_000
