import type { ResendOutcome } from '@callboard/core/store'
import type { Statement, SubscriptionKey } from '../sql/statement.ts'

export const resend: Statement<{ outcome: ResendOutcome }, SubscriptionKey & { eventId: string; entry: string }> = {
  name: 'resend',
  text: `
select outcome from callboard.resend(:accountId, :mode, :id::uuid, :eventId::uuid, :entry::jsonb) outcome`,
}
