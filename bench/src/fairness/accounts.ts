import type { Pool } from 'pg'
import type { BenchCallboard } from '../lib/bench-callboard.ts'

/** Creates accounts with one subscription each: the account `name(n)` has the `n`th target. */
export async function createAccounts(
  { callboard }: BenchCallboard,
  name: (n: number) => string,
  targets: readonly string[],
): Promise<void> {
  await Promise.all(
    targets.map(async (targetUrl, n) => {
      const accountId = name(n)
      await callboard.accounts.create({ id: accountId, name: accountId })
      await callboard.subscriptions.create({ accountId }, { targetUrl, eventTypes: ['note.added'] })
    }),
  )
}

/** The tables that have rows for each subscription. */
const TABLES = ['subscriptions', 'subscription_types', 'lanes'] as const

/**
 * Moves the subscriptions of all accounts whose ids begin with `prefix` to one account. Creating them in that account
 * would take minutes, because Callboard limits new subscriptions per minute.
 */
export async function joinAccounts(pool: Pool, account: string, prefix: string): Promise<void> {
  for (const table of TABLES)
    await pool.query(`update callboard.${table} set account_id = $1::text where starts_with(account_id, $2::text)`, [
      account,
      prefix,
    ])
}

export interface Copies {
  /** The prefix of the accounts to copy. Their numbers start from 0. */
  readonly from: string
  /** The prefix of the copies. Their numbers start from 0, too. */
  readonly to: string
  readonly count: number
}

/**
 * Makes `count` copies of accounts with their subscriptions, copying the accounts in turn. Creating 10,000 accounts
 * through Callboard would take 20,000 transactions. The copy of a subscription keeps its id, because the sealed secret
 * can be opened only with that id.
 */
export async function copyAccounts(pool: Pool, { from, to, count }: Copies): Promise<void> {
  const { rows } = await pool.query<{ n: number }>(
    'select count(*)::int as n from callboard.accounts where starts_with(id, $1::text)',
    [from],
  )
  const values = [from, to, count, rows[0]?.n]
  const copies = `(
    select $1::text || n % $4::int as original, $2::text || n as copy from generate_series(0, $3::int - 1) n
  ) c`
  await pool.query(
    `insert into callboard.accounts (id, name) select c.copy, a.name from ${copies}
     join callboard.accounts a on a.id = c.original`,
    values,
  )
  // Replaces `account_id`, and copies all other columns, whatever they are, except generated ones.
  for (const table of TABLES) {
    const columns = await pool.query<{ names: string[] }>(
      `select array_agg(quote_ident(column_name)::text) as names from information_schema.columns
       where table_schema = 'callboard' and table_name = $1 and is_generated = 'NEVER'`,
      [table],
    )
    const names = columns.rows[0]?.names ?? []
    await pool.query(
      `insert into callboard.${table} (${names.join(', ')})
       select ${names.map((name) => `r.${name}`).join(', ')} from ${copies}
       join callboard.${table} t on t.account_id = c.original
       cross join lateral jsonb_populate_record(t, jsonb_build_object('account_id', c.copy)) r`,
      values,
    )
  }
}
