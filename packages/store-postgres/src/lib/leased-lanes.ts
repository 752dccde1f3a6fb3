import { idFromUuid, type LaneStanding, type LeasedDelivery, type LeasedLane } from '@callboard/core'
import { toEventText } from './events.ts'
import type { LeaseRow } from './statements/lease.ts'
import type { HandedOverLane } from './statements/sequence.ts'
import type { StandingRow } from './statements/standing.ts'
import { secretsOf } from './subscriptions.ts'

/** What is read of a lane and one of its deliveries; the times of the look for it are the store's. */
type LaneRow = Omit<LeaseRow, 'looked_at' | 'lane_due_at'>

/** Leases without a word after which a lane is read one event at a time. */
const PATIENT_CLAIMS = 2

export function toStanding({ deliverable, held, personal_data }: StandingRow): LaneStanding {
  return { deliverable, hold: held ? 'key' : undefined, personalData: personal_data }
}

/** Groups the rows of a lease, which come lane by lane, retries before the feed. */
export function toLeasedLanes(rows: readonly LaneRow[]): LeasedLane[] {
  const lanes = new Map<string, LaneRow[]>()
  for (const row of rows) {
    const lane = lanes.get(row.subscription_id)
    if (lane === undefined) lanes.set(row.subscription_id, [row])
    else lane.push(row)
  }
  return [...lanes.values()].flatMap(toLane)
}

/** Of lanes that had nothing else to do, each with the event that was placed. */
export function toHandedOverLanes(rows: readonly string[]): LeasedLane[] {
  const alone = {
    room: 1,
    tries: 0,
    suspect: false,
    redacted: false,
    subject: null,
    blocked: false,
    older: false,
  } as const
  const lanes: HandedOverLane[] = rows.map((row) => JSON.parse(row))
  return toLeasedLanes(lanes.map((lane) => ({ ...lane, ...alone, position: lane.head })))
}

function toLane(rows: readonly LaneRow[]): LeasedLane[] {
  const [row] = rows
  if (row === undefined) return []
  const due = rows.filter(({ event_id }) => event_id !== null)
  const positions = due.flatMap(({ position }) => position ?? [])
  const feedRoom = row.room - (due.length - positions.length)
  const last = positions.at(-1) ?? row.cursor
  const through = positions.length < feedRoom ? Math.max(row.head, last) : last
  const met = new Set<string>()
  const deliveries = due.filter(({ older }) => !older).map((each) => toDelivery(each, row.claims > PATIENT_CLAIMS, met))
  const suspect = deliveries.find((delivery) => delivery.suspect)
  const lane: LeasedLane = {
    lease: { accountId: row.account_id, mode: row.mode, id: idFromUuid('sub', row.subscription_id), epoch: row.epoch },
    targetUrl: row.target_url,
    secrets: secretsOf(row),
    standing: toStanding(row),
    cursor: row.cursor,
    through,
    failures: row.failures,
    deliveries,
  }
  if (suspect === undefined || deliveries.length === 1) return [lane]
  // What may end its worker is tried alone; the rest waits for the next lease.
  return [{ ...lane, through: suspect.position ?? row.cursor, deliveries: [suspect] }]
}

/** `met`: the subjects of what the lane has from the feed before this one. */
function toDelivery(
  { event_id, position, tries, suspect, redacted, subject, blocked, type, body, patch, fingerprint }: LaneRow,
  claimed: boolean,
  met: Set<string>,
): LeasedDelivery {
  const id = event_id ?? ''
  const isBehind = position !== null && subject !== null && met.has(subject)
  if (position !== null && subject !== null) met.add(subject)
  const event =
    type === null || body === null || fingerprint === null
      ? undefined
      : toEventText({ id, type, occurred_at: 0, body, patch, fingerprint })
  return {
    eventId: idFromUuid('evt', id),
    position: position ?? undefined,
    tries: tries ?? 0,
    suspect: claimed || suspect === true,
    redacted: redacted === true,
    subject: subject ?? undefined,
    blocked: blocked || isBehind,
    event,
  }
}
