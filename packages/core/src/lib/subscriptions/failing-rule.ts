const DAY_MS = 86_400_000

/** A subscription is disabled as `failing` after this many failed attempts over this long without a success. */
export const FAILING_RULE: { readonly attempts: number; readonly durationMs: number } = {
  attempts: 20,
  durationMs: 5 * DAY_MS,
}
