import {
  type Caller,
  type CallerPageRequest,
  idFromUuid,
  isScope,
  keySeesPersonalData,
  type RequestOf,
  type ResultOf,
  type Store,
} from '@callboard/core/store'
import {
  type AdmitRequest,
  type AdmitRow,
  admit,
  admitToEvents,
  admitToEventsOfType,
  type Decision,
  type IdentifyRow,
  identify,
} from '../admission/admit.ts'
import { createBatches } from '../admission/batches.ts'
import { refused, windowsAt } from '../admission/rate-windows.ts'
import { createRecent } from '../admission/recent.ts'
import type { Database } from '../database/database.ts'
import { placeOf } from '../reading/event-place.ts'
import type { PageReader } from '../reading/page-reader.ts'
import type { Statement } from '../sql/statement.ts'
import { readPage, toPage } from './event-store.ts'
import { rateLimitsOf } from './key-store.ts'

type AdmissionRequest = RequestOf<'admission', 'admitRequest'>
type Admission = ResultOf<'admission', 'admitRequest'>

/**
 * Up to four requests share a statement, and up to three statements run at the same time. With pages of 25 events and
 * eight concurrent readers, this gives 2,510 requests/s; one request per statement gave 1,430, and two statements at a
 * time gave 2,420 (decision 012).
 */
const BATCHES = { most: 4, atOnce: 3 } as const

/** At most this many tokens are remembered. They need about 2 MB. */
const REMEMBERED = 10_000

export function createAdmissionStore(database: Database, reader: PageReader): Store<unknown>['admission'] {
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
  const admittedToEvents = together(admitToEvents)
  const admittedToEventsOfType = together(admitToEventsOfType)
  const toEvents = (row: AdmitRequest, { type, after, limit, horizonMs }: CallerPageRequest) => {
    const { at, id } = placeOf(after)
    const page = { ...row, after_at: at, after_id: id, rows: limit + 1, horizon_ms: horizonMs }
    return type === undefined ? admittedToEvents(page) : admittedToEventsOfType({ ...page, type })
  }
  /**
   * The hashes of tokens that were not allowed to see personal data in an earlier request. For such a token, the
   * admission is read first, so that a replica can read the page. For any other token, the primary reads both in one
   * round trip. The set decides only where a page is read: what a request may see, its own admission decides.
   */
  const redacted = createRecent(REMEMBERED)
  return {
    async identify(tokenHash) {
      const [row] = await database.run(identify, { tokenHash })
      return row && { caller: toCaller(row), limits: rateLimitsOf(row.seconds, row.limits) }
    },
    async admitRequest(request) {
      const { page: asked } = request
      const asking = toRow(request)
      if (asked === undefined) return toAdmission(await admitted(asking), request)
      const usesReplica = reader.usesReplica()
      if (usesReplica && redacted.has(asking.token_hash)) {
        const admission = toAdmission(await admitted(asking), request)
        const own = ownPages(admission)
        if (own === undefined) return admission
        return withPage(admission, await readPage(own.personalData ? database : reader, { ...asked, ...own }))
      }
      const row = await toEvents(asking, asked)
      const admission = toAdmission(row, request)
      const own = ownPages(admission)
      if (usesReplica && own?.personalData === false) redacted.add(asking.token_hash)
      return own === undefined ? admission : withPage(admission, toPage(row, asked.limit))
    },
  }
}

function withPage(admission: Admission, page: ResultOf<'events', 'pageEvents'> | undefined): Admission {
  return admission.outcome === 'admitted' ? { ...admission, page } : admission
}

/** Returns which pages a request may read; undefined if it may read none. */
function ownPages(
  admission: Admission,
): Pick<RequestOf<'events', 'pageEvents'>, 'accountId' | 'mode' | 'personalData'> | undefined {
  if (admission.outcome !== 'admitted') return undefined
  const { account, mode, scopes } = admission.caller
  if (!scopes.includes('webhooks.read')) return undefined
  return { accountId: account.id, mode, personalData: keySeesPersonalData(scopes) }
}

function toRow({ tokenHash, limits }: AdmissionRequest): AdmitRequest {
  return {
    token_hash: Buffer.from(tokenHash).toString('hex'),
    seconds: limits.map(({ seconds }) => seconds),
    limits: limits.map(({ limit }) => limit),
  }
}

function toCaller(row: Decision | IdentifyRow): Caller {
  return {
    keyId: idFromUuid('key', row.key_id),
    account: { id: row.account_id, name: row.account_name },
    mode: row.mode,
    scopes: row.scopes.filter(isScope),
    apiVersion: row.api_version,
  }
}

function toAdmission(row: AdmitRow | undefined, request: AdmissionRequest): Admission {
  if (row === undefined) return { outcome: 'unknown' }
  const decision: Decision = JSON.parse(row.decision)
  const limits = rateLimitsOf(decision.seconds, decision.limits) ?? request.limits
  const windows = windowsAt(limits, decision.now, decision.counts)
  return decision.admitted
    ? { outcome: 'admitted', caller: toCaller(decision), windows }
    : { outcome: 'limited', caller: toCaller(decision), windows: refused(windows) }
}
