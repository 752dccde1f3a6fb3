import type { MigrationClient } from '@callboard/store-postgres'

const statements = [
  // Lets only one process at a time migrate: `create … if not exists` can fail if two processes run it at once.
  `select pg_advisory_xact_lock(hashtextextended('ticketing migrations', 0))`,
  `create schema if not exists ticketing`,
  `create table if not exists ticketing.orders (
    id text primary key,
    created_at timestamptz not null,
    event_id text not null,
    event_name text not null,
    buyer_id text not null,
    buyer_name text not null,
    buyer_email text not null,
    gross_amount bigint not null,
    currency text not null
  )`,
  `create table if not exists ticketing.attendees (
    id text primary key,
    order_id text not null references ticketing.orders,
    ticket_type_id text not null,
    checked_in_at timestamptz
  )`,
  `create index if not exists attendees_to_come on ticketing.attendees (order_id) where checked_in_at is null`,
  // Stores which account each key belongs to: Callboard's methods need the account, but the demo's routes get only the
  // key's id.
  `create table if not exists ticketing.demo_keys (key_id text primary key, account_id text not null)`,
]

/** Creates the shop's tables in a schema of their own, where they cannot collide with another `orders` table. */
export async function migrateShop(client: MigrationClient): Promise<void> {
  await client.query('begin')
  try {
    for (const statement of statements) await client.query(statement)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
