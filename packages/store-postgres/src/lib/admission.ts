import {
  type AdmissionRequest,
  type AdmissionStore,
  type Caller,
  idFromUuid,
  isScope,
  type StoreAdmission,
} from '@callboard/core/store'
import { createBatches } from './batches.ts'
import type { Database } from './database.ts'
import { positionValues, toPage } from './events.ts'
import { rateLimitsOf } from './keys.ts'
import { refused, windowsAt } from './rate-windows.ts'
import {
  type AdmitRow,
  admit,
  admitToEvents,
  admitToEventsOfType,
  type Door,
  type IdentifyRow,
  identify,
} from './statements/admit.ts'
import type { Statement } from './statements/statement.ts'

/**
 * Pages of 25 for eight at once, in the same run: one by one 1,430 requests/s, four in a statement 2,510, with two statements at a time
 * 2,420 (decisions/012).
 */
const BATCHES = { most: 4, atOnce: 3 } as const

export function createAdmissionStore(database: Database): AdmissionStore {
  /** Requests that come together share a statement: each of its parameters is an array, with one value or three of each. */
  const together = <Row extends AdmitRow>(statement: Statement<Row>) =>
    createBatches<readonly unknown[], Row | undefined>(async (asked) => {
      const parameters = asked[0]?.map((_, index) => asked.flatMap((values) => values[index])) ?? []
      const answers: (Row | undefined)[] = asked.map(() => undefined)
      for (const row of await database.run(statement, parameters)) answers[row.place - 1] = row
      return answers
    }, BATCHES)
  const admitted = together(admit)
  const admittedToEvents = together(admitToEvents)
  const admittedToEventsOfType = together(admitToEventsOfType)
  return {
    async identify(tokenHash) {
      const [row] = await database.run(identify, [tokenHash])
      return row && { caller: toCaller(row), limits: rateLimitsOf(row.seconds, row.limits) }
    },
    async admit(request) {
      return toAdmission(await admitted(requestValues(request)), request)
    },
    async admitToEvents(request, { type, after, limit, horizonMs }) {
      const values = [...requestValues(request), ...positionValues(after), limit + 1, horizonMs]
      const row = await (type === undefined ? admittedToEvents(values) : admittedToEventsOfType([...values, type]))
      const admission = toAdmission(row, request)
      const readable = admission.outcome === 'admitted' && admission.caller.scopes.includes('webhooks.read')
      return { admission, page: readable ? toPage(row, limit) : undefined }
    },
  }
}

function requestValues({ tokenHash, limits }: AdmissionRequest): unknown[] {
  return [
    Buffer.from(tokenHash).toString('hex'),
    limits.map(({ seconds }) => seconds),
    limits.map(({ limit }) => limit),
  ]
}

function toCaller(row: Door | IdentifyRow): Caller {
  return {
    keyId: idFromUuid('key', row.key_id),
    account: { id: row.account_id, name: row.account_name },
    mode: row.mode,
    scopes: row.scopes.filter(isScope),
  }
}

function toAdmission(row: AdmitRow | undefined, request: AdmissionRequest): StoreAdmission {
  if (row === undefined) return { outcome: 'unknown' }
  const door: Door = JSON.parse(row.door)
  const limits = rateLimitsOf(door.seconds, door.limits) ?? request.limits
  const windows = windowsAt(limits, door.now, door.counts)
  return door.admitted
    ? { outcome: 'admitted', caller: toCaller(door), windows }
    : { outcome: 'limited', caller: toCaller(door), windows: refused(windows) }
}
