import type { Statement, SubscriptionKey } from '../sql/statement.ts'
import type { SubscriptionRow } from './subscription-row.ts'

export type SealedSecretsRow = Pick<
  SubscriptionRow,
  'account_id' | 'mode' | 'id' | 'own_id' | 'secret' | 'former_secret'
>

/** Reads in key order. The subscription in `after` may no longer exist. */
export const sealedSecrets: Statement<SealedSecretsRow, { after: SubscriptionKey; limit: number }> = {
  name: 'sealed-secrets',
  text: `
select account_id, mode, id::text as id, own_id, secret,
  case when former_secret_expires_at > callboard.clock() then former_secret end as former_secret
from callboard.subscriptions s
where (s.account_id, s.mode, s.id) > (:after.accountId, :after.mode, :after.id::uuid) and state <> 'removed'
order by s.account_id, s.mode, s.id limit :limit::int`,
}

/**
 * Replaces the sealed secret `from` only where it is still stored: a rotation may meanwhile have made it the former
 * secret, or dropped it.
 */
export const replaceSealed: Statement<{ id: string }, SubscriptionKey & { from: string; to: string }> = {
  name: 'replace-sealed',
  text: `
update callboard.subscriptions
set secret = case secret when :from then :to else secret end,
  former_secret = case former_secret when :from then :to else former_secret end
where account_id = :accountId and mode = :mode and id = :id::uuid and state <> 'removed'
  and (secret = :from or former_secret = :from)
returning id::text as id`,
}
