import { rowByKey } from '../sql/row-by-key.ts'

/**
 * SQL that joins a lane to a row that has the lane's key and a known epoch. Without the epoch, Postgres reads every
 * dead version of the lane: there were a thousand after a transaction of the platform had held back vacuum for 45 s
 * (decision 010).
 *
 * @param epoch a comparison, such as `= i.epoch`.
 */
export function isLane(lane: string, row: string, epoch: string): string {
  return `${sameLane(lane, row)} and ${lane}.epoch ${epoch}`
}

/** SQL that tests whether two rows belong to the same lane. */
export function sameLane(one: string, other: string): string {
  return ['account_id', 'mode', 'subscription_id']
    .map((column) => `${one}.${column} = ${other}.${column}`)
    .join(' and ')
}

/**
 * SQL for the version of a lane's row that the snapshot shows, to join laterally. Reads versions newest first, up to
 * the first visible one. With a plain comparison of the key and a sort, the planner chose a bitmap scan of every dead
 * version once the table had been analysed: 8,700 blocks for 40 lanes instead of 1,500.
 */
export function newestLane(key: { readonly accountId: string; readonly mode: string; readonly id: string }): string {
  return rowByKey(
    'lanes',
    { account_id: key.accountId, mode: key.mode, subscription_id: key.id },
    { column: 'epoch', greatest: '9223372036854775807' },
  )
}
