import {
  type AdmissionRequest,
  type AdmissionStore,
  type Caller,
  idFromUuid,
  isScope,
  type RateWindowState,
  type StoreAdmission,
} from '@callboard/core'
import type { Database } from './database.ts'
import { positionValues, toPage } from './events.ts'
import { rateLimitsOf } from './keys.ts'
import {
  type AdmitRow,
  type AdmitToEventsRow,
  admit,
  admitToEvents,
  admitToEventsOfType,
  type IdentifyRow,
  identify,
} from './statements/admit.ts'
import type { EventTextRow } from './statements/find-event.ts'

export function createAdmissionStore(database: Database): AdmissionStore {
  return {
    async identify(tokenHash) {
      const [row] = await database.run(identify, [tokenHash])
      return row && { caller: toCaller(row), limits: rateLimitsOf(row.seconds, row.limits) }
    },
    async admit(request) {
      const [row] = await database.run(admit, requestValues(request))
      return toAdmission(row)
    },
    async admitToEvents(request, { type, after, limit, horizonMs }) {
      const values = [...requestValues(request), ...positionValues(after), limit + 1, horizonMs]
      const rows =
        type === undefined
          ? await database.run(admitToEvents, values)
          : await database.run(admitToEventsOfType, [...values, type])
      const admission = toAdmission(rows[0])
      const readable = admission.outcome === 'admitted' && admission.caller.scopes.includes('webhooks.read')
      return { admission, page: readable ? toPage(rows.filter(hasEvent), limit) : undefined }
    },
  }
}

function requestValues({ tokenHash, limits }: AdmissionRequest): unknown[] {
  return [tokenHash, limits.map(({ seconds }) => seconds), limits.map(({ limit }) => limit)]
}

function hasEvent(row: AdmitToEventsRow): row is AdmitToEventsRow & EventTextRow {
  return row.id !== null
}

function toCaller(row: AdmitRow | IdentifyRow): Caller {
  return {
    keyId: idFromUuid('key', row.key_id),
    account: { id: row.account_id, name: row.account_name },
    mode: row.mode,
    scopes: row.scopes.filter(isScope),
  }
}

function toAdmission(row: AdmitRow | undefined): StoreAdmission {
  if (row === undefined) return { outcome: 'unknown' }
  const windows = row.seconds.map((seconds, index): RateWindowState => {
    const limit = row.limits[index] ?? 0
    return {
      seconds,
      limit,
      remaining: Math.max(0, limit - (row.used[index] ?? 0)),
      resetAfterMs: row.resets[index] ?? 0,
    }
  })
  if (row.admitted) return { outcome: 'admitted', caller: toCaller(row), windows }
  // Counts of a refused request are from before it queued on the lock, and may be one short of the limit that refused it.
  const exceeded = windows.some(({ remaining }) => remaining === 0)
  const closest = Math.min(...windows.map(({ remaining }) => remaining))
  return {
    outcome: 'limited',
    caller: toCaller(row),
    windows: exceeded
      ? windows
      : windows.map((window) => (window.remaining === closest ? { ...window, remaining: 0 } : window)),
  }
}
