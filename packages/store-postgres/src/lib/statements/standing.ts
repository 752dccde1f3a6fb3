/** SQL of a subscription `s` and its confirming key `k`: whether its deliveries may be sent now, and with personal data. */
const keyCounts = `(k.id is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > callboard.clock()))`

export const joinConfirmingKey: string = `left join callboard.api_keys k on k.account_id = s.account_id and k.id = s.confirmed_by`

/** Whether personal data may be sent. */
export const mayHavePersonalData: string = `case when s.source = 'api' then ${keyCounts} and 'people.read' = any (k.scopes) else coalesce(s.personal_data, false) end`

export const standingColumns: string = `
  s.state = 'active' and (s.source <> 'api' or ${keyCounts}) as deliverable,
  s.state = 'active' and s.source = 'api' and not ${keyCounts} as held,
  ${mayHavePersonalData} as personal_data`

export interface StandingRow {
  deliverable: boolean
  held: boolean
  personal_data: boolean
}
