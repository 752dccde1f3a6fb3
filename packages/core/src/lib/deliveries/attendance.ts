/**
 * A worker that has not attended for this many milliseconds counts as dead, unless the store knows that its process
 * still exists. The limit is twenty times as long as the pause between two calls of `attend`, so that a worker loses no leases when its process pauses briefly
 * or a call is slow.
 */
export const SILENCE_MS = 5_000
