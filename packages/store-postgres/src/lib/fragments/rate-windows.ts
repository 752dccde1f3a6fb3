const WINDOWS = [1, 2, 3] as const

/** SQL of the columns of a key's windows, from row `r`. */
export const WINDOW_COLUMNS: string = WINDOWS.map((n) => `r.start${n}, r.used${n}`).join(', ')

/**
 * PL/pgSQL that counts requests in the three windows of a key if all have room, and changes nothing otherwise; to be
 * followed by `returning`. It reads the starts of the current windows, `s1` to `s3`. A caller that waited for the row's
 * lock may carry an older start, hence greatest(): windows never move back.
 */
export function countRequests(request: {
  readonly keyId: string
  readonly count: string
  /** The limit of window n, from 1. */
  readonly limit: (window: number) => string
}): string {
  const used = (n: number): string => `case when s${n} > r.start${n} then 0 else r.used${n} end + ${request.count}`
  return `update callboard.rate_windows r set
  ${WINDOWS.map((n) => `used${n} = ${used(n)}, start${n} = greatest(r.start${n}, s${n})`).join(',\n  ')}
where r.key_id = ${request.keyId}
  ${WINDOWS.map((n) => `and ${used(n)} <= ${request.limit(n)}`).join('\n  ')}`
}

/** PL/pgSQL that sets `s1` to `s3` to the starts of the windows which `now` is in. */
export function startWindows(seconds: (window: number) => string): string {
  return WINDOWS.map((n) => `s${n} := floor(now / ${seconds(n)})::bigint * ${seconds(n)};`).join('\n')
}

/**
 * PL/pgSQL that creates the windows of a key: for its first request, or after a crash has emptied the unlogged table.
 */
export function createWindows(keyId: string): string {
  return `insert into callboard.rate_windows values (${keyId}, 0, 0, 0, 0, 0, 0) on conflict do nothing;`
}
