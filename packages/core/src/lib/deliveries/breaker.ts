/**
 * A lane's circuit breaker opens after this many consecutive failures on different events. An open breaker pauses the
 * lane. After each pause, one delivery is attempted as a probe.
 */
export const BREAKER_THRESHOLD = 5
