import type { Statement } from './statement.ts'

export interface SealedSecretsRow {
  account_id: string
  mode: 'live' | 'test'
  id: string
  secret: string
  former_secret: string | null
}

/** In key order behind a key, which may be that of a subscription that has gone since. */
export const sealedSecrets: Statement<SealedSecretsRow> = {
  name: 'sealed-secrets',
  text: `
select account_id, mode, id::text as id, secret, case when former_secret_expires_at > callboard.clock() then former_secret end as former_secret
from callboard.subscriptions s
where (s.account_id, s.mode, s.id) > ($1, $2, $3::uuid) and state <> 'removed'
order by s.account_id, s.mode, s.id limit $4::int`,
}

/** Compare and swap: after a rotation in between the text is the former one's, or nowhere. */
export const replaceSealed: Statement<{ id: string }> = {
  name: 'replace-sealed',
  text: `
update callboard.subscriptions set secret = case secret when $4 then $5 else secret end, former_secret = case former_secret when $4 then $5 else former_secret end
where account_id = $1 and mode = $2 and id = $3::uuid and state <> 'removed' and (secret = $4 or former_secret = $4)
returning id::text as id`,
}
