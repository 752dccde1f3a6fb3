/** Timeout of a test, in milliseconds. Opening PGlite takes 4 s the first time, even on an idle machine. */
export const TIMEOUT_MS = 60_000
