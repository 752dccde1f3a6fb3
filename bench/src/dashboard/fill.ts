import { idFromUuid } from '@callboard/core/store'
import { ENTRY, type Migrated } from '../lib/migrated.ts'

interface AccountSize {
  readonly subscriptions: number
  /** How many events the account has. Five subscriptions get every event; they have received all but the six oldest. */
  readonly events: number
}

/** The id of one of the five subscriptions that get every event. */
export const busySubscription: string = idFromUuid('sub', '1'.padStart(32, '0'))

/**
 * Fills accounts with realistic data. Every subscription has delivery counts for each of the last 190 hours; some
 * subscriptions are failing, and some are disabled. In each of the five subscriptions that get the events, three
 * deliveries are retrying and three are exhausted.
 */
export async function fill({ pool, store }: Migrated, accounts: Readonly<Record<string, AccountSize>>): Promise<void> {
  for (const [account, { subscriptions, events }] of Object.entries(accounts)) {
    await store.accounts.create([{ id: account, name: 'Harbour Hall', entry: ENTRY }])
    for (const insert of SUBSCRIPTIONS) await pool.query(insert, [account, subscriptions, events])
    for (const insert of EVENTS) await pool.query(insert, [account, events])
  }
  await pool.query('vacuum analyze')
}

const BUSY = 5
// Ids ascend with time, like UUIDs of version 7.
const uuid = (number: string): string => `lpad(to_hex(${number}), 32, '0')::uuid`
// Each of these conditions selects enough subscriptions to fill a page, even in the small account.
const isFailing = 'n % greatest($2::int / 50, 3) = 0'
const isDisabled = 'n % greatest($2::int / 50, 3) = 2'

const SUBSCRIPTIONS = [
  `insert into callboard.subscriptions
     (account_id, mode, id, source, target_url, event_types, integration, external_ref, api_version, secret,
      state, disabled_reason)
   select $1, 'live', ${uuid('n')}, 'api', 'https://hooks.example.com/catch/' || n,
     array[case when n <= ${BUSY} then 'order.paid' else 'order.refunded' end], 'zapier', 'zap ' || n, '2026-10-01',
     'sealed', case when ${isDisabled} then 'disabled' else 'active' end, case when ${isDisabled} then 'gone' end
   from generate_series(1, $2::int) n where $3::int > 0`,
  `insert into callboard.subscription_types
   select account_id, mode, event_types[1], id from callboard.subscriptions
   where account_id = $1 and state = 'active' and $2::int + $3::int > 0`,
  `insert into callboard.lanes
     (account_id, mode, subscription_id, state, host, start, cursor, head, since, since_at, start_since, start_since_at,
      failed_attempts, failing_since,
      hour, hour_delivered, hour_failed)
   select $1, 'live', ${uuid('n')}, case when ${isDisabled} then 'disabled' else 'idle' end, 'example.com', 0, $3::int, $3::int,
     pg_current_snapshot(), '-infinity', pg_current_snapshot(), '-infinity', case when ${isFailing} then 7 else 0 end,
     case when ${isFailing} then callboard.clock() end,
     floor(extract(epoch from callboard.clock()) / 3600)::int, 10, 1
   from generate_series(1, $2::int) n`,
  `insert into callboard.lane_hours
   select $1, 'live', ${uuid('n')}, floor(extract(epoch from callboard.clock()) / 3600)::int - h, 100, h, 100 * (n % 97)
   from generate_series(1, 190) h, generate_series(1, $2::int) n where $3::int > 0`,
  `insert into callboard.lane_days
   select account_id, mode, subscription_id, hour / 24, sum(delivered), sum(failed), sum(duration_ms)
   from callboard.lane_hours where account_id = $1 and $2::int + $3::int > 0 group by 1, 2, 3, 4`,
  `insert into callboard.attempts
     (account_id, mode, subscription_id, id, event_id, number, outcome, status, started_at, duration_ms, response)
   select $1, 'live', ${uuid('n')}, ${uuid('n')}, ${uuid('n')}, 1, 'failed', 500, callboard.clock(), 30,
     'Internal Server Error'
   from generate_series(${BUSY + 1}, $2::int) n where $3::int > 0`,
]

const EVENTS = [
  `insert into callboard.events
     (account_id, mode, id, type, occurred_at, subject_type, subject_id, sequence, body, fingerprint)
   select $1, 'live', ${uuid('n')}, 'order.paid',
     date_trunc('second', callboard.clock()) - ($2::int - n) * interval '1 second', 'order', n::text, 1,
     '{"id":"evt_' || lpad(n::text, 26, '0') || '","type":"order.paid","version":"2026-10-01",'
     || '"occurred_at":"2026-10-01T12:00:00.000Z","account":{"id":"a","name":"A"},'
     || '"subject":{"type":"order","id":"' || n || '","sequence":1},"correlation_id":null,"livemode":true,'
     || '"data":{"note":"' || repeat('x', 170) || '"}}', 'f'
   from generate_series(1, $2::int) n`,
  `insert into callboard.feed (account_id, mode, position, type, event_id)
   select $1, 'live', n, 'order.paid', ${uuid('n')} from generate_series(1, $2::int) n`,
  `insert into callboard.attempts
     (account_id, mode, subscription_id, id, event_id, number, outcome, status, started_at, duration_ms)
   select $1, 'live', ${uuid('s')}, ${uuid('n')}, ${uuid('n')}, 1,
     case when n <= 3 then 'failed' when n <= 6 then 'exhausted' else 'delivered' end,
     case when n <= 6 then 500 else 200 end, callboard.clock() - ($2::int - n) * interval '1 second', 30
   from generate_series(1, ${BUSY}) s, generate_series(1, $2::int) n`,
  `insert into callboard.retries (account_id, mode, subscription_id, event_id, attempts, due_at, position)
   select $1, 'live', ${uuid('s')}, ${uuid('n')}, 1, callboard.clock() + interval '1 hour', n
   from generate_series(1, ${BUSY}) s, generate_series(1, 3) n where $2::int > 0`,
  `insert into callboard.ended_deliveries (account_id, mode, subscription_id, event_id, state, attempts, position)
   select $1, 'live', ${uuid('s')}, ${uuid('n')}, 'exhausted', 10, n
   from generate_series(1, ${BUSY}) s, generate_series(4, 6) n where $2::int > 0`,
]
