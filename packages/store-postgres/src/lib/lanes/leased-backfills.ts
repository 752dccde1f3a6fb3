import { CAPS, idFromUuid, isSuspected, type LeasedDelivery, type LeasedLane } from '@callboard/core/store'
import type { Runner } from '../database/database.ts'
import { type BackfillRow, readBackfills } from './read-backfills.ts'
import { toLeaseRow } from './settled-rows.ts'

/** A lane as `read-leases` found it. */
export interface ReadLane {
  readonly lane: LeasedLane
  readonly claims: number
  /** The room that its retries and new deliveries leave to a running backfill. */
  readonly backfillRoom: number
}

/** Adds the deliveries of running backfills to leased lanes. */
export async function withBackfills(database: Runner, read: readonly ReadLane[]): Promise<LeasedLane[]> {
  const asked = read.filter(({ backfillRoom }) => backfillRoom > 0)
  if (asked.length === 0) return read.map(({ lane }) => lane)
  const leases = asked.map(({ lane, backfillRoom: room }) => ({ ...toLeaseRow(lane.lease), room }))
  const rows = await database.run(readBackfills, { leases })
  return read.map((each) =>
    withBackfill(
      each,
      rows.filter(({ n }) => asked[n - 1] === each),
    ),
  )
}

function withBackfill({ lane, claims, backfillRoom }: ReadLane, rows: readonly BackfillRow[]): LeasedLane {
  const [first] = rows
  if (first === undefined) return lane
  const { backfill_reached: after, backfill_to: to, examined, examined_through, personal_data } = first
  const sent = rows.filter(({ event_id }) => event_id !== null)
  const last = sent.length === backfillRoom ? sent.at(-1)?.position : undefined
  const through = last ?? (examined === CAPS.backfill ? examined_through : undefined) ?? to
  return {
    ...lane,
    backfill: { after, through },
    // The key may have changed since the lane was read: a patch is sent only if both reads allow it.
    standing: { ...lane.standing, personalData: lane.standing.personalData && personal_data },
    deliveries: [...lane.deliveries, ...sent.map((row) => toDelivery(row, isSuspected(claims)))],
  }
}

function toDelivery(
  { event_id, type, body, patch, fingerprint, trace }: BackfillRow,
  suspect: boolean,
): LeasedDelivery {
  const eventId = idFromUuid('evt', event_id ?? '')
  return {
    eventId,
    position: undefined,
    backfilled: true,
    attempts: 0,
    suspect,
    redacted: false,
    subject: undefined,
    waiting: false,
    event: { id: eventId, type, body, patch, fingerprint },
    trace: trace ?? undefined,
  }
}
