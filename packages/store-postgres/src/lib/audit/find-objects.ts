import { rowByKey } from '../sql/row-by-key.ts'
import type { Statement } from '../sql/statement.ts'

export interface AuditedRow {
  id: string
  /** Null for a subscription. */
  key_name: string | null
  last_characters: string | null
  own_id: string | null
  description: string | null
  external_ref: string | null
  /** Null for a key. */
  target_url: string | null
}

export interface FindObjectsParameters {
  readonly keys: readonly string[]
  readonly subscriptions: readonly string[]
  /** Ids that the platform brought along. */
  readonly ownIds: readonly string[]
}

const SUBSCRIPTION = 'select s.id::text, null, null, s.own_id, s.description, s.external_ref, s.target_url'

/** Looks up each id on its own, so that the rows read are as many as the ids. */
export const findObjects: Statement<AuditedRow, FindObjectsParameters> = {
  name: 'find-audited-objects',
  text: `
select k.id::text as id, k.name as key_name, k.last_characters, null as own_id, null as description,
  null as external_ref, null as target_url
from unnest(:keys::uuid[]) as asked(id)
cross join lateral ${rowByKey('api_keys', { id: 'asked.id' })} k
union all
${SUBSCRIPTION}
from unnest(:subscriptions::uuid[]) as asked(id)
cross join lateral ${rowByKey('subscriptions', { id: 'asked.id' })} s
union all
${SUBSCRIPTION}
from unnest(:ownIds::text[]) as asked(id)
cross join lateral ${rowByKey('subscriptions', { own_id: 'asked.id' })} s`,
}
