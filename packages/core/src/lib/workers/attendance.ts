/**
 * How often a worker attends, in milliseconds, unless its store tells it to attend less often
 * (`Takeover.againInMs`). A worker that attends tells the store that it is alive, and takes over from dead workers. The
 * interval is short, so that another worker takes over within a second if the store can see that a process has ended.
 */
export const ATTEND_MS = 250

/**
 * A worker that has not attended for this many milliseconds counts as dead, unless the store knows that its process
 * still exists. The limit is twenty times as long as the pause between two calls of `attend`, so that a worker loses no
 * leases when its process pauses briefly or a call is slow.
 */
export const SILENCE_MS = 5_000
