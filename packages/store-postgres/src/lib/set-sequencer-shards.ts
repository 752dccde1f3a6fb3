import { CallboardError } from '@callboard/core'
import { toStoreError } from './failures.ts'
import type { MigrationClient } from './migrate.ts'
import { assertSchemaName, DEFAULT_SCHEMA } from './schema-name.ts'

/** A worker looks at the shards one after the other, so more shards than this would only slow it down. */
const MOST_SHARDS = 64

export interface SequencerShardsOptions {
  /** Name of the schema; `callboard` by default. */
  readonly schema?: string | undefined
  /** How long to wait for running passes to end, in milliseconds; 5 s by default. */
  readonly lockTimeoutMs?: number | undefined
}

/**
 * Sets how many shards the sequencer has, from 1 (the number after `migrate`) to 64, and returns how many it had. Each
 * account belongs to one shard. Workers sequence different shards at the same time, so with several shards, sequencing
 * gets faster as workers are added. The number may be changed at any time, while publishers and workers run: no event
 * is lost, sequenced twice, or sequenced before an earlier event of the same account.
 *
 * `client` must be one connection, not a pool, whose role owns Callboard's tables.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` if `shards` is not a whole number from 1 to 64, or if the database is
 *   not migrated; `UNAVAILABLE` if the running passes did not end in time.
 */
export async function setSequencerShards(
  client: MigrationClient,
  shards: number,
  { schema = DEFAULT_SCHEMA, lockTimeoutMs = 5_000 }: SequencerShardsOptions = {},
): Promise<number> {
  assertSchemaName(schema)
  if (!Number.isInteger(shards) || shards < 1 || shards > MOST_SHARDS)
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      `shards must be a whole number from 1 to ${MOST_SHARDS}, not ${shards}.`,
    )
  try {
    await client.query('begin')
    await client.query(`select set_config('lock_timeout', $1::text, true)`, [`${Math.round(lockTimeoutMs)}ms`])
    // Waits until no shard's row is locked. From then until the commit, neither a pass nor the creation of a
    // subscription can lock one.
    await client.query(`lock table ${schema}.sequencers in exclusive mode`)
    const { rows } = await client.query(`select shards::int as shards from ${schema}.sequencers limit 1`)
    // An account may move to any shard, so every shard continues from the highest position of any shard.
    await client.query(
      `insert into ${schema}.sequencers (shard, shards, position)
       select n, $1::int, (select max(position) from ${schema}.sequencers) from generate_series(0, $1::int - 1) n
       on conflict (shard) do update set shards = excluded.shards, position = excluded.position`,
      [shards],
    )
    await client.query(`delete from ${schema}.sequencers where shard >= $1::int`, [shards])
    await client.query('commit')
    return numberOf(rows[0])
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw toStoreError(error)
  }
}

function numberOf(row: unknown): number {
  return typeof row === 'object' && row !== null && 'shards' in row ? Number(row.shards) : 1
}
