/** A test's time, in milliseconds: opening PGlite takes 4 s the first time, on a machine that does nothing else. */
export const TIMEOUT_MS = 60_000
