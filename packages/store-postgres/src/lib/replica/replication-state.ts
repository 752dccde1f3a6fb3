import type { Runner } from '../database/database.ts'
import { lookAtReplica, type ReplicaRow, type WalPosition } from './replica-statements.ts'

/** How the server behind the option `reader` relates to the primary. */
export type ReplicationState =
  /** `lagMs` is undefined if the replica is behind and has replayed no commit since it was started. */
  | { readonly kind: 'replica'; readonly lagMs: number | undefined }
  /** It is the primary itself. */
  | { readonly kind: 'primary' }
  /** A `promoted` server accepts writes. An `other_timeline` server follows the timeline of another primary. */
  | { readonly kind: 'promoted' | 'other_timeline' | 'other_database' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** A server that is behind gets a second look after this time, since most are behind for a few milliseconds only. */
const SECOND_LOOK_MS = 100

/** Compares the server behind `reader` with the primary, whose log had got to this position. Never throws. */
export async function replicationStateOf(reader: Runner, position: Promise<WalPosition>): Promise<ReplicationState> {
  try {
    const primary = await position
    const look = async (): Promise<ReplicationState> => {
      const [row] = await reader.run(lookAtReplica, { primary })
      if (row === undefined) throw new Error('the database returned no row')
      return judge(row, primary)
    }
    const first = await look()
    if (first.kind !== 'replica' || first.lagMs === 0) return first
    await new Promise((resolve) => setTimeout(resolve, SECOND_LOOK_MS))
    return await look()
  } catch (error) {
    return { kind: 'failed', error }
  }
}

/**
 * A replica that has replayed the primary's log up to this position is not behind, however old the last replayed commit
 * is. Otherwise the lag is the time from that commit to the reading of the position, both by the primary's clock.
 */
function judge(row: ReplicaRow, { identity, timeline }: WalPosition): ReplicationState {
  if (row.identity !== identity) return { kind: 'other_database' }
  if (!row.in_recovery) return { kind: row.same_server ? 'primary' : 'promoted' }
  if (row.timeline !== timeline) return { kind: 'other_timeline' }
  if (row.replayed) return { kind: 'replica', lagMs: 0 }
  return { kind: 'replica', lagMs: row.commit_age_ms === null ? undefined : Math.max(1, row.commit_age_ms) }
}
