import type { Finding } from '@callboard/core/store'
import type { ReplicationState } from './replication-state.ts'

/** Reports whether pages are read from the replica, and how far behind it is. */
export function judgeReplica(state: ReplicationState, maxLagMs: number): Finding {
  const check = 'replica'
  const unused = (message: string, advice: string): Finding => ({
    check,
    verdict: 'warning',
    message: `${message}; the primary reads all pages`,
    advice,
  })
  switch (state.kind) {
    case 'primary':
      return { check, verdict: 'ok', message: 'the option reader leads to the primary itself' }
    case 'replica': {
      const { lagMs } = state
      if (lagMs === 0) return { check, verdict: 'ok', message: 'it is up to date' }
      const behind = lagMs === undefined ? 'it is behind' : `it is ${Math.ceil(lagMs)} ms behind`
      if (lagMs !== undefined && lagMs <= maxLagMs) return { check, verdict: 'ok', message: behind }
      return unused(
        `${behind}, more than maxLagMs allows (${maxLagMs})`,
        'See pg_stat_replication on the primary. If queries on the replica delay its replay, lower ' +
          'max_standby_streaming_delay there, or increase maxLagMs.',
      )
    }
    case 'promoted':
      return unused(
        'the option reader leads to a server that accepts writes and is not the primary',
        'After a failover, point the option to a replica of the new primary. Make sure that only one server accepts writes.',
      )
    case 'other_timeline':
      return unused(
        'it is not on the timeline of the primary, or this role does not see that it is',
        'Make sure that it follows this primary. After a failover, this role sees the new timeline only after the next ' +
          'restartpoint of the replica (within checkpoint_timeout), or at once if it has pg_read_all_stats.',
      )
    case 'other_database':
      return {
        check,
        verdict: 'problem',
        message: 'the option reader leads to another database than pool; no page is read from it',
        advice: 'Point it to a replica of the database that pool leads to.',
      }
    case 'failed':
      return unused(
        'it cannot be read',
        'Check that the address of the option reader leads to a running replica, and that its role may connect.',
      )
  }
}
