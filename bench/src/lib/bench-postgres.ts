import { type ReplicablePostgres, startOwnPostgres } from '@callboard/testbed'

/**
 * Starts a Postgres that is set up as in production: commits reach the disk, and a benchmark's tables fit in memory.
 */
export function startBenchPostgres(settings: Readonly<Record<string, string>> = {}): Promise<ReplicablePostgres> {
  return startOwnPostgres({
    settings: {
      fsync: 'on',
      shared_buffers: '2GB',
      max_wal_size: '8GB',
      checkpoint_timeout: '30min',
      ...settings,
    },
  })
}
