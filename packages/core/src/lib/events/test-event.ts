import type { OwnedRef } from '../accounts/owner.ts'
import { CallboardError } from '../errors.ts'
import { createId } from '../id.ts'
import { createRedactor } from '../personal-data/redact.ts'
import type { Account } from '../ports/account-store.ts'
import type { Caller } from '../ports/admission-store.ts'
import type { Actor } from '../subscriptions/who-may-enable.ts'
import { quoted } from '../validation/text-rules.ts'
import type { CatalogVersion } from '../versions/catalog-version.ts'
import { envelopeParts } from './envelope.ts'

/** An event with invented data, to test a subscription. It is never stored. */
export interface TestEvent {
  /** Begins with `test_`, unlike the id of any real event. */
  readonly id: string
  readonly type: string
  /** The envelope. */
  readonly body: string
}

/** The outcome of sending a test event. */
export interface SentTest {
  readonly eventId: string
  readonly type: string
  /** `delivered` if the target answered with a 2xx in time, as for a delivery. */
  readonly outcome: 'delivered' | 'failed'
  /** HTTP status; undefined when there was no response. */
  readonly status: number | undefined
  /** A code for why there was no response; undefined when there was a response. Contains no IP address. */
  readonly reason: string | undefined
  readonly durationMs: number
  /** The beginning of the target's response, which is untrusted text; undefined if there was none, or if it is hidden. */
  readonly response: string | undefined
  /** The request exactly as sent. */
  readonly request: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
}

/** Sends test events; created by `createTestSender` of `@callboard/delivery`. */
export interface TestSender {
  /**
   * Sends a test event to a subscription, even if the subscription is disabled. `by` is `account` by default. Throws
   * `NOT_FOUND`, `SUBSCRIPTION_MANAGED` for a subscription created through the API unless the platform sends it,
   * `VALIDATION_FAILED` for a type that the subscription does not include, and `RATE_LIMITED`.
   */
  send(ref: OwnedRef & { readonly by?: Actor | undefined }, type: string): Promise<SentTest>
  /**
   * Sends a test event to a subscription created through the API, for a call with one of the account's keys. The
   * target's response is left out unless the key may read personal data, because targets repeat what they get.
   *
   * Throws `NOT_FOUND`, `SUBSCRIPTION_DISABLED`, `VALIDATION_FAILED` and `RATE_LIMITED`.
   */
  sendByKey(caller: Caller, subscriptionId: string, input: unknown): Promise<SentTest>
}

export interface TestEventInput {
  /** The format version that the subscription gets. */
  readonly version: CatalogVersion
  readonly account: Account
  readonly type: string
  readonly personalData: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Creates a test event from its type's sample. Three fields mark it: `test` is true, `livemode` is false, and the
 * subject's sequence is 0, which is below every number that Callboard assigns.
 *
 * @throws CallboardError `EVENT_TYPE_UNKNOWN`.
 */
export function createTestEvent({ version, account, type: name, personalData, now }: TestEventInput): TestEvent {
  const type = version.get(name)
  if (type === undefined)
    throw new CallboardError('EVENT_TYPE_UNKNOWN', `Version ${version.version} has no event type ${quoted(name)}.`)
  const id = createId('test', { now })
  const { head, middle, tail } = envelopeParts({
    id,
    type: name,
    version: version.version,
    occurredAt: new Date(now),
    accountId: account.id,
    subject: { type: name.split('.')[0] ?? name, id },
    correlationId: null,
    mode: 'test',
    data: createRedactor(personalData ? [] : type.personalDataPaths)(type.sample).redacted,
  })
  return {
    id,
    type: name,
    body: `{"test":true,${head.slice(1)}${JSON.stringify(account.name)}${middle}0${tail}`,
  }
}
