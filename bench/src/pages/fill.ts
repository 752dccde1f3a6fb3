import { createHash } from 'node:crypto'
import { createId } from '@callboard/core'
import { ENTRY, type Migrated } from '../lib/migrated.ts'

export const FREQUENT = 'order.paid'
export const RARE = 'order.refunded'
/** How many events of the rare type each account has. */
export const RARE_EVENTS = 10

/** The hash that is stored for an account's key, as if the key's token were the account's id. */
export function tokenHash(account: string): Uint8Array {
  return createHash('sha256').update(account).digest()
}

/**
 * Creates events for each account, 100 ms apart and with bodies of 200 bytes. Bodies of 1 KB would take 7 GB, but would
 * not change how much of the index a page reads. The indexes are dropped first and created again at the end, because
 * that is faster.
 */
export async function fill({ pool, store }: Migrated, accounts: Readonly<Record<string, number>>): Promise<void> {
  const indexes = await pool.query<{ name: string; definition: string; key: boolean }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition, i.indisprimary as key
     from pg_index i where i.indrelid = 'callboard.events'::regclass`,
  )
  const dropped = indexes.rows.filter(({ key }) => !key)
  for (const { name } of dropped) await pool.query(`drop index ${name}`)
  await pool.query('alter table callboard.events drop constraint events_pkey')
  for (const [account, events] of Object.entries(accounts)) {
    await store.accounts.create([{ id: account, name: 'Harbour Hall', entry: ENTRY }])
    await pool.query(INSERT, [account, events, Math.floor(events / RARE_EVENTS)])
    await store.keys.issue({ ...KEY, accountId: account, id: createId('key'), tokenHash: tokenHash(account) }, 1, ENTRY)
  }
  await pool.query('alter table callboard.events add primary key (account_id, mode, id)')
  for (const { definition } of dropped) await pool.query(definition)
  await pool.query('vacuum analyze')
}

const KEY = {
  mode: 'live',
  name: 'bench',
  scopes: ['webhooks.read'],
  limits: undefined,
  apiVersion: '2026-10-01',
  expiresAt: undefined,
} as const

// Ids ascend with time, like UUIDs of version 7.
const INSERT = `
insert into callboard.events
  (account_id, mode, id, type, occurred_at, subject_type, subject_id, sequence, body, fingerprint)
select $1, 'live', lpad(to_hex(n), 32, '0')::uuid, case when n % $3::int = 0 then '${RARE}' else '${FREQUENT}' end,
  date_trunc('second', callboard.clock()) - ($2::int - n) * interval '100 ms', 'order', n::text, 1,
  '{"id":"' || n || '","data":{"note":"' || repeat('x', 170) || '"}}', 'f'
from generate_series(1, $2::int) n`
