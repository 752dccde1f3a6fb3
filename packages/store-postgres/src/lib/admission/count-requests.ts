import { MAX_WINDOW_LEAD_MS } from '@callboard/core/store'

const WINDOWS = [1, 2, 3] as const

/** SQL for the account and the key to which windows belong. */
export interface WindowsKey {
  readonly accountId: string
  readonly keyId: string
}

/** SQL for the start and the count of a key's three windows, from row `r`. */
export const WINDOW_COLUMNS: string = WINDOWS.map((n) => `r.start${n}, r.used${n}`).join(', ')

/**
 * PL/pgSQL that counts requests in a key's three windows if all three have room, and otherwise changes nothing. Append
 * a `returning` clause. The variables `s1` to `s3` hold the starts of the windows that contain `now`. They may be
 * outdated after a wait for the row's lock, so requests count in the row's window if it is a later one. A window that
 * starts too far ahead was counted before the clock was set back, and is replaced.
 */
export function countRequests(request: {
  readonly key: WindowsKey
  readonly count: string
  /** The limit of window n, from 1. */
  readonly limit: (window: number) => string
}): string {
  const isCurrent = (n: number): string => `r.start${n} between s${n} and now + ${MAX_WINDOW_LEAD_MS / 1000}`
  const used = (n: number): string => `case when ${isCurrent(n)} then r.used${n} else 0 end + ${request.count}`
  const start = (n: number): string => `case when ${isCurrent(n)} then r.start${n} else s${n} end`
  return `update callboard.rate_windows r set
  ${WINDOWS.map((n) => `used${n} = ${used(n)}, start${n} = ${start(n)}`).join(',\n  ')}
where r.account_id = ${request.key.accountId} and r.key_id = ${request.key.keyId}
  ${WINDOWS.map((n) => `and ${used(n)} <= ${request.limit(n)}`).join('\n  ')}`
}

/** PL/pgSQL that sets `s1` to `s3` to the starts of the windows that contain `now`. */
export function startWindows(seconds: (window: number) => string): string {
  return WINDOWS.map((n) => `s${n} := floor(now / ${seconds(n)})::bigint * ${seconds(n)};`).join('\n')
}

/**
 * PL/pgSQL that creates a key's windows. They do not exist before the key's first request, nor after a crash, which
 * empties the unlogged table.
 */
export function createWindows({ accountId, keyId }: WindowsKey): string {
  return `insert into callboard.rate_windows values (${accountId}, ${keyId}, 0, 0, 0, 0, 0, 0) on conflict do nothing;`
}
