import type { ResendableState } from '@callboard/core/store'
import type { Statement, SubscriptionKey } from '../sql/statement.ts'

export interface RangeRow {
  lane_state: 'idle' | 'leased' | 'paused' | 'disabled'
  /** The highest position that was looked at; null if there was none. */
  last_place: string | null
  /**
   * Of the events whose deliveries were recorded without a position, the last one looked at; null if there was none.
   */
  last_event: string | null
  /** Whether more is left to look at. This and all that follows is null if the lane is disabled. */
  more: boolean | null
  /** When the newest event that was looked at was published, in milliseconds since 1970. */
  reached_at: number | null
  resent: number | null
  /** How many deliveries in the range are in each of the requested `states`; null if none is. */
  found: [ResendableState, number][] | null
}

export interface RangeParameters extends SubscriptionKey {
  /** Only deliveries at higher positions than this, and those selected by `afterEvent`. */
  readonly after: number
  /** Of the deliveries recorded without a position, only those of events with higher ids than this UUID. */
  readonly afterEvent: string
  /** How many to look at. */
  readonly step: number
  readonly states: readonly ResendableState[]
  /** Only events published at this time or later. */
  readonly publishedFrom: string
  /** Only events published before this time; null: no end. */
  readonly publishedBefore: string | null
  /** JSON; null if this step is not recorded. */
  readonly entry: string | null
}

export const resendRange: Statement<RangeRow, RangeParameters> = {
  name: 'resend-range',
  text: `
select lane_state, last_place, last_event, more, reached_at, resent, counts as found
from callboard.resend_range(
  :accountId, :mode, :id::uuid, :after::bigint, :afterEvent::uuid, :step::int, :states::text[],
  :publishedFrom::timestamptz, :publishedBefore::timestamptz, :entry::jsonb
)`,
}
