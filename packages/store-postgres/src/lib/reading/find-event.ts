import { eventByKey } from '../sql/event-by-key.ts'
import type { OwnerParameters, Statement } from '../sql/statement.ts'

export interface EventTextRow {
  id: string
  type: string
  occurred_at: number
  body: string
  patch: string | null
  fingerprint: string
}

export interface FindEventParameters extends OwnerParameters {
  readonly id: string
  /** Only an event that was published at most this many milliseconds ago; null: any. */
  readonly horizonMs: number | null
}

export const findEvent: Statement<EventTextRow, FindEventParameters> = {
  name: 'find-event',
  text: `
select id::text as id, type, extract(epoch from occurred_at)::float8 * 1000 as occurred_at, body, patch, fingerprint
from ${eventByKey(':accountId::text', ':mode::text', ':id::uuid')} e
where :horizonMs::float8 is null or e.published_at >= callboard.clock() - :horizonMs::float8 * interval '1 ms'`,
}
