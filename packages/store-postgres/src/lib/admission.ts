import {
  type AdmissionRequest,
  type AdmissionStore,
  type Caller,
  idFromUuid,
  isScope,
  type RateLimits,
  type StoreAdmission,
} from '@callboard/core'
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
  openWindows,
} from './statements/admit.ts'
import type { Statement } from './statements/statement.ts'

export function createAdmissionStore(database: Database): AdmissionStore {
  /** Runs a statement that takes from a key's windows; once more, after there is a row for them. */
  const admitted = async <Row extends AdmitRow>(
    statement: Statement<Row>,
    values: unknown[],
  ): Promise<[Door, Row] | undefined> => {
    for (let tries = 1; ; tries++) {
      const [row] = await database.run(statement, values)
      if (row === undefined) return undefined
      const door: Door = JSON.parse(row.door)
      if (door.taken !== null || door.found !== null || tries === 3) return [door, row]
      await database.run(openWindows, [door.key_id])
    }
  }
  return {
    async identify(tokenHash) {
      const [row] = await database.run(identify, [tokenHash])
      return row && { caller: toCaller(row), limits: rateLimitsOf(row.seconds, row.limits) }
    },
    async admit(request) {
      const [door] = (await admitted(admit, requestValues(request))) ?? []
      return toAdmission(door, request.limits)
    },
    async admitToEvents(request, { type, after, limit, horizonMs }) {
      const values = [...requestValues(request), ...positionValues(after), limit + 1, horizonMs]
      const [door, row] =
        (type === undefined
          ? await admitted(admitToEvents, values)
          : await admitted(admitToEventsOfType, [...values, type])) ?? []
      const admission = toAdmission(door, request.limits)
      const readable = admission.outcome === 'admitted' && admission.caller.scopes.includes('webhooks.read')
      return { admission, page: readable ? toPage(row, limit) : undefined }
    },
  }
}

function requestValues({ tokenHash, limits }: AdmissionRequest): unknown[] {
  return [tokenHash, limits.map(({ seconds }) => seconds), limits.map(({ limit }) => limit)]
}

function toCaller(row: Door | IdentifyRow): Caller {
  return {
    keyId: idFromUuid('key', row.key_id),
    account: { id: row.account_id, name: row.account_name },
    mode: row.mode,
    scopes: row.scopes.filter(isScope),
  }
}

function toAdmission(door: Door | undefined, platformLimits: RateLimits): StoreAdmission {
  if (door === undefined) return { outcome: 'unknown' }
  const { now, taken, found } = door
  const limits = rateLimitsOf(door.seconds, door.limits) ?? platformLimits
  const windows = windowsAt(limits, now, taken ?? found ?? [])
  return taken === null
    ? { outcome: 'limited', caller: toCaller(door), windows: refused(windows) }
    : { outcome: 'admitted', caller: toCaller(door), windows }
}
