import {
  type AdmissionRequest,
  type AdmissionStore,
  type Caller,
  idFromUuid,
  isScope,
  keySeesPersonalData,
  type StoreAdmission,
} from '@callboard/core/store'
import { createBatches } from './batches.ts'
import type { Database } from './database.ts'
import { positionOf, readPage, toPage } from './events.ts'
import { rateLimitsOf } from './keys.ts'
import type { PageReader } from './page-reader.ts'
import { refused, windowsAt } from './rate-windows.ts'
import {
  type AdmitRequest,
  type AdmitRow,
  admit,
  admitToEvents,
  admitToEventsOfType,
  admitToPersonalEvents,
  admitToPersonalEventsOfType,
  type IdentifyRow,
  identify,
  type Verdict,
} from './statements/admit.ts'
import type { Statement } from './statements/statement.ts'

/**
 * Up to four requests share a statement, and up to three statements run at a time. With pages of 25 events and eight
 * readers at once, this gave 2,510 requests/s. One request per statement gave 1,430, and running only two statements at
 * a time gave 2,420 (decision 012).
 */
const BATCHES = { most: 4, atOnce: 3 } as const

export function createAdmissionStore(database: Database, reader: PageReader): AdmissionStore {
  /** Requests that arrive together share a statement. */
  const together = <Row extends AdmitRow, Request extends AdmitRequest>(
    statement: Statement<Row, { readonly requests: readonly Request[] }>,
  ) =>
    createBatches<Request, Row | undefined>(async (requests) => {
      const answers: (Row | undefined)[] = requests.map(() => undefined)
      for (const row of await database.run(statement, { requests })) answers[row.place - 1] = row
      return answers
    }, BATCHES)
  const admitted = together(admit)
  const toEvents = { all: together(admitToEvents), ofType: together(admitToEventsOfType) }
  const toPersonalEvents = { all: together(admitToPersonalEvents), ofType: together(admitToPersonalEventsOfType) }
  return {
    async identify(tokenHash) {
      const [row] = await database.run(identify, { tokenHash })
      return row && { caller: toCaller(row), limits: rateLimitsOf(row.seconds, row.limits) }
    },
    async admit(request) {
      return toAdmission(await admitted(toRow(request)), request)
    },
    async admitToEvents(request, asked) {
      const { type, after, limit, horizonMs } = asked
      const { at, id } = positionOf(after)
      const page = { ...toRow(request), after_at: at, after_id: id, rows: limit + 1, horizon_ms: horizonMs }
      const usesReplica = reader.usesReplica()
      const admitted = usesReplica ? toPersonalEvents : toEvents
      const row = await (type === undefined ? admitted.all(page) : admitted.ofType({ ...page, type }))
      const admission = toAdmission(row, request)
      if (admission.outcome !== 'admitted') return { admission, page: undefined }
      const { account, mode, scopes } = admission.caller
      if (!scopes.includes('webhooks.read')) return { admission, page: undefined }
      if (!usesReplica || keySeesPersonalData(scopes)) return { admission, page: toPage(row, limit) }
      const own = { accountId: account.id, mode, personalData: false }
      return { admission, page: await readPage(reader, { ...asked, ...own }) }
    },
  }
}

function toRow({ tokenHash, limits }: AdmissionRequest): AdmitRequest {
  return {
    token_hash: Buffer.from(tokenHash).toString('hex'),
    seconds: limits.map(({ seconds }) => seconds),
    limits: limits.map(({ limit }) => limit),
  }
}

function toCaller(row: Verdict | IdentifyRow): Caller {
  return {
    keyId: idFromUuid('key', row.key_id),
    account: { id: row.account_id, name: row.account_name },
    mode: row.mode,
    scopes: row.scopes.filter(isScope),
    apiVersion: row.api_version,
  }
}

function toAdmission(row: AdmitRow | undefined, request: AdmissionRequest): StoreAdmission {
  if (row === undefined) return { outcome: 'unknown' }
  const verdict: Verdict = JSON.parse(row.verdict)
  const limits = rateLimitsOf(verdict.seconds, verdict.limits) ?? request.limits
  const windows = windowsAt(limits, verdict.now, verdict.counts)
  return verdict.admitted
    ? { outcome: 'admitted', caller: toCaller(verdict), windows }
    : { outcome: 'limited', caller: toCaller(verdict), windows: refused(windows) }
}
