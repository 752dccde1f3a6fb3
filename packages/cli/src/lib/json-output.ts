import type {
  Account,
  AuditEntry,
  DeliveryRecord,
  Envelope,
  ErasureReport,
  EventType,
  Issue,
  IssuedKey,
  KeyRecord,
  LoggedAttempt,
  PersonErasureReport,
  PublishedEvent,
  RevokedKey,
  SubscriptionRecord,
  SubscriptionWithHealth,
  SubscriptionWithSecret,
  TroubledSubscription,
  VersionUse,
} from '@callboard/core'
import type { BackfillRecord, Finding, ResendableState, RetentionCounts } from '@callboard/core/store'
import type { CatalogChange } from './catalog/compare-catalogs.ts'
import type { TestResult } from './commands/test-subscription.ts'

/** A value as JSON: a `Date` is an ISO 8601 string in UTC, and `undefined` is null. An optional field may be absent. */
export type Printed<Value> = Value extends Date
  ? string
  : Value extends undefined
    ? null
    : Value extends readonly (infer Item)[]
      ? readonly Printed<Item>[]
      : Value extends object
        ? { readonly [Field in keyof Value]: Printed<Value[Field]> }
        : Value

/** A list that is not read in pages. */
export interface List<Row> {
  readonly data: readonly Printed<Row>[]
}

/** A list that is read in pages; `nextCursor` is null on the last page. */
export interface Paged<Row> extends List<Row> {
  readonly nextCursor: string | null
}

type WithoutSecrets<Row> = Omit<Row, 'secrets'>

// #region commands
/** The document that each command prints with `--json`. Types not defined here are those of `@callboard/core`. */
export interface JsonOutput {
  'accounts create': Printed<Account>
  'accounts list': Paged<Account>
  'accounts show': Printed<Account>
  audit: Paged<AuditEntry>
  'catalog diff': List<CatalogChange>
  'catalog list': List<Omit<EventType, 'title' | 'schema' | 'sample'> & { title: string }>
  /** Printed if no file is named. With a file: `{ file, versions }`, where `versions` lists dates. */
  'catalog save': {
    versions: readonly {
      version: string
      deprecated: string | null
      sunset: string | null
      types: readonly {
        name: string
        title: string
        description: string | null
        personalDataPaths: readonly string[]
        schema: object
      }[]
    }[]
  }
  'deliveries list': Paged<DeliveryRecord>
  /** The first form is for one event, the second for a range (`--from`). */
  'deliveries resend':
    | { outcome: 'scheduled' | 'hastened' | 'pending' }
    | {
        resent: number
        waiting: number
        found: { [State in ResendableState]?: number }
        nextCursor: string | null
      }
  'deliveries show': { delivery: Printed<DeliveryRecord> | null; attempts: readonly Printed<LoggedAttempt>[] }
  doctor: { ok: boolean; findings: readonly Printed<Finding>[] }
  'erase before': Printed<ErasureReport>
  'erase person': Printed<PersonErasureReport>
  'events list': { data: readonly Envelope[]; nextCursor: string | null; hasMore: boolean }
  'events publish': Printed<PublishedEvent>
  'events show': Envelope
  init: {
    framework: string
    typescript: boolean
    written: readonly string[]
    skipped: readonly string[]
    next: readonly { what: string; run: readonly string[] }[]
  }
  /** `lines` lists duplicates and refused lines, at most 1,000. `kind` is null if the line could not be read. */
  import: {
    dryRun: boolean
    imported: number
    existing: number
    duplicate: number
    unchecked: number
    refused: number
    lines: readonly {
      line: number
      kind: 'account' | 'key' | 'subscription' | null
      outcome: 'duplicate' | 'refused'
      issues: readonly Issue[]
    }[]
  }
  'keys issue': Printed<IssuedKey>
  'keys list': { data: readonly Printed<KeyRecord>[]; nextCursor: string | null; hasMore: boolean }
  'keys move': Printed<KeyRecord>
  'keys revoke': Printed<RevokedKey>
  'keys rotate': Printed<IssuedKey>
  /** The second form is for `--sql`. */
  migrate: { applied: readonly string[] } | { sql: string }
  'retention run': RetentionCounts
  /** With `--watch`, one of these documents per line. */
  status: {
    ok: boolean
    findings: readonly Printed<Finding>[]
    subscriptions: readonly Printed<WithoutSecrets<TroubledSubscription>>[]
  }
  'subscriptions backfill': Printed<BackfillRecord>
  'subscriptions create': Printed<WithoutSecrets<SubscriptionWithSecret>>
  'subscriptions disable': { id: string; state: 'disabled' }
  'subscriptions enable': { id: string; state: 'active' }
  'subscriptions list': List<WithoutSecrets<SubscriptionWithHealth>>
  'subscriptions move': { id: string; apiVersion: string }
  'subscriptions rotate-secret': { id: string; secret: string }
  'subscriptions show': Printed<WithoutSecrets<SubscriptionWithHealth>>
  'subscriptions test': Printed<TestResult>
  trigger: Printed<PublishedEvent>
  'versions list': List<VersionUse>
  'versions move': { from: string; to: string; subscriptions: number; keys: number }
  'versions show': List<WithoutSecrets<SubscriptionRecord>>
}
// #endregion

// #region running
/** The documents, one per line, of the commands that run until they are stopped. */
export interface JsonLines {
  listen:
    | { listening: { url: string; account: string; secret: string | null } }
    | {
        event: Envelope
        forwarded: { to: string; status: number | null; failure: string | null; durationMs: number | null } | null
      }
  status: JsonOutput['status']
  /** One log entry, which can have more fields than these. */
  worker: {
    time: string
    level: 'debug' | 'info' | 'warn' | 'error'
    message: string
    [field: string]: string | number | boolean
  }
}
// #endregion
