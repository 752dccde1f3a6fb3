// SQL for a lane's standing: whether its deliveries may be sent, by the rule in core's
// `lanes/standing.ts`. `s` is the subscription, `k` the key that confirmed it.

/** Whether the confirming key `k` exists and is neither revoked nor expired. */
const KEY_COUNTS = `(
  k.id is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > callboard.clock())
)`

/**
 * SQL that joins the key `k` that confirmed subscription `s`. The join is lateral with a limit, because the planner
 * turned a plain join into a scan of all the account's keys.
 */
export const JOIN_CONFIRMING_KEY: string = `left join lateral (
  select x.* from callboard.api_keys x where x.account_id = s.account_id and x.id = s.confirmed_by limit 1
) k on true`

/** Whether personal data may be sent. */
export const MAY_SEE_PERSONAL_DATA: string = `case
    when s.confirmed_by is not null then ${KEY_COUNTS} and 'people.read' = any (k.scopes)
    else coalesce(s.personal_data, false)
  end`

/** The columns of a {@link StandingRow}. */
export const STANDING_COLUMNS: string = `
  s.state = 'active' and (s.confirmed_by is null or ${KEY_COUNTS}) as deliverable,
  s.state = 'active' and s.confirmed_by is not null and not ${KEY_COUNTS} as key_ended,
  ${MAY_SEE_PERSONAL_DATA} as personal_data`

export interface StandingRow {
  deliverable: boolean
  /** Whether the subscription is to be disabled, because its confirming key is revoked or expired. */
  key_ended: boolean
  personal_data: boolean
}
