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

export const findEvent: Statement<EventTextRow, OwnerParameters & { id: string }> = {
  name: 'find-event',
  text: `
select id::text as id, type, extract(epoch from occurred_at)::float8 * 1000 as occurred_at, body, patch, fingerprint
from ${eventByKey(':accountId::text', ':mode::text', ':id::uuid')} e`,
}
