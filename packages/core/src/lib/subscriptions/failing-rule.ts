const DAY_MS = 86_400_000

/** No success and this many failed attempts over this long disable a subscription as `failing` (decisions, “Failing”). */
export const FAILING_RULE: { readonly tries: number; readonly durationMs: number } = {
  tries: 20,
  durationMs: 5 * DAY_MS,
}
