import { randomBytes } from 'node:crypto'
import { createId } from '@callboard/core'
import { uuidFromId } from '@callboard/core/store'
import type { PoolClient } from 'pg'
import type { Publish } from './publish-loop.ts'

// The prepared insert that a platform would write by hand. It inserts the same rows as Callboard's `publish`, under the
// same indexes, but its bodies are ready-made.
const SCHEMA = 'bare'

const EVENT_COLUMNS =
  'account_id, mode, id, type, occurred_at, subject_type, subject_id, sequence, body, patch, fingerprint, person_id'

const withCounter = {
  name: 'bare-with-counter',
  text: `
with counter as (
  insert into ${SCHEMA}.subjects as s (account_id, mode, type, id, last) values ($1, 'live', 'order', $4, 1)
  on conflict (account_id, mode, type, id) do update set last = s.last + 1
  returning last
),
event as (
  insert into ${SCHEMA}.events (${EVENT_COLUMNS})
  select $1, 'live', $2, 'order.paid', $3, 'order', $4, last, $5 || last || $6, $7, $8, $9 from counter
)
insert into ${SCHEMA}.outbox (event_id, account_id, mode, type) values ($2, $1, 'live', 'order.paid')`,
}

const withSequence = {
  name: 'bare-with-sequence',
  text: `
with event as (
  insert into ${SCHEMA}.events (${EVENT_COLUMNS})
  values ($1, 'live', $2, 'order.paid', $3, 'order', $4, $10, $5 || $10::bigint || $6, $7, $8, $9)
)
insert into ${SCHEMA}.outbox (event_id, account_id, mode, type) values ($2, $1, 'live', 'order.paid')`,
}

const batch = {
  name: 'bare-batch',
  text: `
with input as (
  select * from unnest(
    $1::text[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[]
  )
    as t(account_id, id, occurred_at, subject_id, head, tail, patch, fingerprint, person_id)
),
counter as (
  insert into ${SCHEMA}.subjects as s (account_id, mode, type, id, last)
  select account_id, 'live', 'order', subject_id, 1 from input order by account_id, subject_id
  on conflict (account_id, mode, type, id) do update set last = s.last + 1
  returning account_id, id, last
),
event as (
  insert into ${SCHEMA}.events (${EVENT_COLUMNS})
  select account_id, 'live', i.id, 'order.paid', occurred_at, 'order', subject_id, last, head || last || tail,
    patch, fingerprint, person_id
  from input i join counter c using (account_id) where c.id = i.subject_id
)
insert into ${SCHEMA}.outbox (event_id, account_id, mode, type) select id, account_id, 'live', 'order.paid' from input`,
}

/**
 * The parts of a body before and after the sequence number. The second part is padded, so that the body is as long as
 * the one that Callboard stores.
 */
const HEAD = '{"id":"evt_01j9z3v5k7m2n4p6q8r0s1t3u5","sequence":'
const TAIL = `,"note":"${randomBytes(500).toString('base64')}"}`
const PATCH = '498,57:"name":"Ada Lovelace","email":"ada.lovelace@example.com",'
const FINGERPRINT = '0123456789abcdef'

export interface BareOptions {
  readonly accountId: string
  /** Whether to take the sequence number from the subject's counter; otherwise the caller provides it. */
  readonly counter: boolean
  /** Size in bytes of the body that Callboard stores for the same order. */
  readonly bodyBytes: number
}

export function bareInsert({ accountId, counter, bodyBytes }: BareOptions): Publish {
  const tail = TAIL.padEnd(bodyBytes - HEAD.length - 1, ' ')
  const row = (n: number): unknown[] => [
    accountId,
    uuidFromId('evt', createId('evt')),
    new Date().toISOString(),
    `ord_${n % 10_000}`,
    HEAD,
    tail,
    PATCH,
    FINGERPRINT,
    'per_01j9z3v5k7m2n4p6q8',
  ]
  return async (client: PoolClient, from: number, count: number) => {
    if (count === 1)
      return client.query(
        counter ? { ...withCounter, values: row(from) } : { ...withSequence, values: [...row(from), from] },
      )
    const rows = Array.from({ length: count }, (_, index) => row(from + index))
    return client.query({ ...batch, values: (rows[0] ?? []).map((_, column) => rows.map((each) => each[column])) })
  }
}
