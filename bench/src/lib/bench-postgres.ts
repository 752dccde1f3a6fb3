import { type OwnPostgres, startOwnPostgres } from '@callboard/testbed'

/** A Postgres as one would run it: commits reach the disk, and the tables of a benchmark fit in its memory. */
export function startBenchPostgres(settings: Readonly<Record<string, string>> = {}): Promise<OwnPostgres> {
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
