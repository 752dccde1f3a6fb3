import type { Statement } from '../sql/statement.ts'
import type { RetentionRow } from './retention-turn.ts'

/** If `task` is not `events`, nothing was done. */
export type RetainedRow = Pick<RetentionRow, 'task'> & { events: number; expired: number }

/** Looks at this many accounts, and at most `limit` events of one of them. */
export const retainEvents: Statement<
  RetainedRow,
  { horizonMs: number; responsesMs: number; accounts: number; limit: number }
> = {
  name: 'retain-events',
  text: `
select task, events, expired
from callboard.retain_events(:horizonMs::float8, :responsesMs::float8, :accounts::int, :limit::int)`,
}
