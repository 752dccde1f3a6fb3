import type { OwnedRef } from '../accounts/owner.ts'
import { CallboardError } from '../errors.ts'
import { createId } from '../id.ts'
import { createRedactor } from '../personal-data/redact.ts'
import type { Account } from '../ports/account-store.ts'
import { quoted } from '../text-rules.ts'
import type { Catalog } from './catalog.ts'
import { envelopeParts } from './envelope.ts'

/** Something to try a subscription with, which happened nowhere and is stored nowhere. */
export interface TestEvent {
  /** Begins with `test_`, as that of no event does. */
  readonly id: string
  readonly type: string
  /** The envelope. */
  readonly body: string
}

/** What came of a test event. */
export interface SentTest {
  readonly eventId: string
  readonly type: string
  /** As for a delivery: `delivered` is a 2xx in time. */
  readonly outcome: 'delivered' | 'failed'
  /** HTTP status; undefined: there was no response. */
  readonly status: number | undefined
  /** Why there was none, as a code; names no address. */
  readonly reason: string | undefined
  readonly durationMs: number
  /** The start of what the target answered, a stranger's text; undefined: there was no response. */
  readonly response: string | undefined
  /** What was sent, as it was sent. */
  readonly request: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
}

/** Sends test events; `createTestSender` of `@callboard/delivery` makes one. */
export interface TestSender {
  /**
   * Sends an event of a type to a subscription that the account's people made, active or not. Throws `NOT_FOUND`,
   * `SUBSCRIPTION_MANAGED`, `VALIDATION_FAILED` for a type that the subscription does not name, and `RATE_LIMITED`.
   */
  send(ref: OwnedRef, type: string): Promise<SentTest>
}

export interface TestEventInput {
  readonly catalog: Catalog
  readonly account: Account
  readonly type: string
  readonly personalData: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * An event made of its type's sample. It says in three ways that it is none, so that a receiver which looks at any of them does not take
 * it for one: `test` is true, which is signed with the rest; `livemode` is false; and its subject's sequence is 0, before any that there is.
 *
 * @throws CallboardError `EVENT_TYPE_UNKNOWN`.
 */
export function createTestEvent({ catalog, account, type: name, personalData, now }: TestEventInput): TestEvent {
  const type = catalog.get(name)
  if (type === undefined)
    throw new CallboardError('EVENT_TYPE_UNKNOWN', `The catalogue has no event type ${quoted(name)}.`)
  const id = createId('test', { now })
  const { head, middle, tail } = envelopeParts({
    id,
    type: name,
    version: catalog.version,
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
