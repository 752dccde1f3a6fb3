import {
  type DueLane,
  idFromUuid,
  isSuspected,
  type LaneStanding,
  type LeasedDelivery,
  type LeasedLane,
  roomForFresh,
} from '@callboard/core/store'
import type { Runner } from '../database/database.ts'
import { secretsOf, signaturesOf } from '../subscriptions/subscription-row.ts'
import type { DueLaneRow } from './due-lanes.ts'
import { type ReadLane, withBackfills } from './leased-backfills.ts'
import type { LeaseInput } from './leases.ts'
import { type LeasedLaneRow, type LeaseRow, readLeases } from './read-leases.ts'
import type { StandingRow } from './standing.ts'

/** A lane that was leased for the only event that the call sequenced. */
interface HandedOverLane extends LeasedLaneRow {
  event_id: string
  /** Null, like the fields below, if retention has removed the event. */
  type: string | null
  body: string | null
  patch: string | null
  fingerprint: string | null
  trace: string | null
}

export function toStanding({ deliverable, key_ended, personal_data }: StandingRow): LaneStanding {
  return { deliverable, disable: key_ended ? 'key' : undefined, personalData: personal_data }
}

export function toDueLane({ account_id, mode, subscription_id, host, slow, ...row }: DueLaneRow): DueLane[] {
  if (account_id === null) return []
  const { has_new: hasNew, epoch, due_at: dueAt } = row
  return [{ accountId: account_id, mode, id: idFromUuid('sub', subscription_id), host, slow, hasNew, epoch, dueAt }]
}

/** Reads the lanes of leases, each with its due deliveries, in the order of `leases`. */
export async function readLanes(database: Runner, leases: readonly LeaseInput[]): Promise<LeasedLane[]> {
  if (leases.length === 0) return []
  return withBackfills(database, (await database.run(readLeases, { leases })).flatMap(toLane))
}

/** Returns the lanes that the sequencing statement leased, each with a single delivery: the event just sequenced. */
export async function toHandedOverLanes(database: Runner, lanes: readonly string[]): Promise<LeasedLane[]> {
  const parsed: readonly (HandedOverLane | LeaseInput)[] = lanes.map((json) => JSON.parse(json))
  const alone = parsed.filter((lane) => !('event_id' in lane))
  return [
    ...parsed.flatMap((lane) => ('event_id' in lane ? toHandedOverLane(lane) : [])),
    ...(await readLanes(database, alone)),
  ]
}

function toHandedOverLane(handedOver: HandedOverLane): LeasedLane[] {
  const { event_id, type, body, patch, fingerprint, trace, ...lane } = handedOver
  const row = {
    ...lane,
    room: 1,
    backfills: false,
    ids: event_id,
    positions: String(lane.head),
    flags: '0',
    subjects: null,
    types: type ?? '',
    fingerprints: fingerprint ?? '',
    bodies: body ?? '',
    patches: patch ?? '',
    traces: trace ?? '',
  }
  return toLane(row).map((read) => read.lane)
}

/**
 * Returns no lane if one of its values contains the separator, because the row cannot be split. The lane's lease
 * expires, and after a few expired leases the lane's events are leased one at a time.
 */
function toLane(row: LeaseRow): ReadLane[] {
  const suspected = isSuspected(row.claims)
  const ids = partsOf(row.ids, LINE)
  const bodies = ids.length === 1 ? [row.bodies ?? ''] : partsOf(row.bodies, TEXT)
  const patches = ids.length === 1 ? [row.patches ?? ''] : partsOf(row.patches, TEXT)
  if (bodies.length !== ids.length || patches.length !== ids.length) return []
  const positions = partsOf(row.positions, LINE)
  const flags = partsOf(row.flags, LINE)
  const subjects = partsOf(row.subjects, LINE)
  const types = partsOf(row.types, LINE)
  const fingerprints = partsOf(row.fingerprints, LINE)
  const traces = partsOf(row.traces, LINE)

  const met = new Set<string>()
  const deliveries: LeasedDelivery[] = []
  let fromFeed = 0
  let last = row.settled_through
  for (const [index, uuid] of ids.entries()) {
    const positionText = positions[index] ?? ''
    const position = positionText === '' ? undefined : Number(positionText)
    if (position !== undefined) {
      fromFeed++
      last = position
    }
    const flag = flags[index] ?? ''
    // The event is older than the subscription, so it is not delivered; `settled_through` moves past it.
    if (flag.endsWith('o')) continue
    const subject = subjects[index] || undefined
    const isWaiting = position !== undefined && subject !== undefined && met.has(subject)
    if (position !== undefined && subject !== undefined) met.add(subject)
    const eventId = idFromUuid('evt', uuid)
    const type = types[index] ?? ''
    deliveries.push({
      eventId,
      position,
      attempts: Number.parseInt(flag, 10),
      suspect: suspected || flag.includes('s'),
      redacted: flag.includes('r'),
      subject,
      waiting: isWaiting || flag.includes('w'),
      event:
        type === ''
          ? undefined
          : {
              id: eventId,
              type,
              body: bodies[index] ?? '',
              patch: patches[index] || null,
              fingerprint: fingerprints[index] ?? '',
            },
      trace: traces[index] || undefined,
    })
  }
  const left = row.room - (ids.length - fromFeed)
  const feedRoom = roomForFresh(left, row.backfills)
  const lane: LeasedLane = {
    lease: leaseOf(row),
    targetUrl: row.target_url,
    apiVersion: row.api_version,
    secrets: secretsOf(row),
    signatures: signaturesOf(row),
    standing: toStanding(row),
    settledThrough: row.settled_through,
    through: fromFeed < feedRoom ? Math.max(row.head, last) : last,
    breakerFailures: row.breaker_failures,
    deliveries,
  }
  const suspect = deliveries.find((delivery) => delivery.suspect)
  const { claims } = row
  if (suspect === undefined) return [{ lane, claims, backfillRoom: row.backfills ? left - fromFeed : 0 }]
  if (deliveries.length === 1) return [{ lane, claims, backfillRoom: 0 }]
  // A suspect delivery, which may crash the worker, is attempted alone. The lane's other deliveries wait for the next
  // lease.
  const alone = { ...lane, through: suspect.position ?? row.settled_through, deliveries: [suspect] }
  return [{ lane: alone, claims, backfillRoom: 0 }]
}

function leaseOf({ account_id: accountId, mode, subscription_id, own_id, epoch }: LeaseRow): LeasedLane['lease'] {
  const laneId = idFromUuid('sub', subscription_id)
  return own_id === null ? { accountId, mode, id: laneId, epoch } : { accountId, mode, id: own_id, epoch, laneId }
}

const LINE = '\n'
const TEXT = '\x1e'

function partsOf(text: string | null, between: string): string[] {
  return text === null ? [] : text.split(between)
}
