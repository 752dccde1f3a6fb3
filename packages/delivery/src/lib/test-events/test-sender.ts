import { CallboardError, type SubscriptionRecord } from '@callboard/core'
import {
  type AnyCallboard,
  assertWhole,
  changeable,
  createTestEvent,
  engineOf,
  readKinds,
  type TestSender as SendsTests,
  type SentTest,
  testRequest,
  unknownSubscription,
  validationFailed,
} from '@callboard/core/engine'
import { keySeesPersonalData, targetHost } from '@callboard/core/store'
import type { EgressProxy } from '../http/egress-proxy.ts'
import { createHttpsTransport } from '../http/https-transport.ts'
import { provePinning } from '../http/pinning-canary.ts'
import type { Transport, TransportOutcome } from '../http/transport.ts'
import { proveTunnelling } from '../http/tunnel-canary.ts'
import { responseOutcome } from '../lanes/response-outcome.ts'
import { signRequest } from '../signed-request.ts'
import { openSecrets } from '../signing-secrets.ts'
import { createStoreClock } from '../timing/store-clock.ts'
import { createTestAllowance } from './test-allowance.ts'

export interface TestSenderOptions {
  /** The maximum number of test events per account and minute in this process; 10 by default. */
  readonly perMinute?: number | undefined
  /** The maximum number of test events in flight per account in this process; 2 by default. */
  readonly atOnce?: number | undefined
  /**
   * The maximum number of test events per host and minute in this process, from all accounts together; 60 by default.
   */
  readonly perHostAndMinute?: number | undefined
  /** Time limit of one test, in milliseconds; 15 s by default, like that of deliveries, and at most 30 s. */
  readonly deadlineMs?: number | undefined
  /**
   * PEM certificates to trust besides the runtime's own roots; none by default. Pass the same certificates to the
   * workers.
   */
  readonly extraCaCertificates?: readonly string[] | undefined
  /**
   * A proxy for all tests; none by default. Proxy environment variables are ignored. Pass the same proxy to the
   * workers.
   */
  readonly egressProxy?: EgressProxy | undefined
  /**
   * Sends the requests; `createHttpsTransport` by default. Your own transport must enforce the address policy itself.
   */
  readonly transport?: Transport | undefined
  /** A monotonic clock in milliseconds; `performance.now` by default. */
  readonly elapsed?: (() => number) | undefined
}

export interface TestSender extends SendsTests {
  /** Aborts tests in flight and closes their connections. Does nothing if the option `transport` was set. */
  close(): Promise<void>
}

/**
 * Creates the object that the dashboard and the router take as their option `tests`. The dashboard sends test events to
 * subscriptions that an account's people created, and the router to those that integrations created. A test event carries its type's sample, `"test": true` in the body and the header
 * `callboard-test: true` (see `headerNames` of `createCallboard`). It is sent once, with the same signature, address policy and deadline as a delivery. Nothing
 * is stored, and a failure does not count against the target.
 *
 * Before the first test, `send` checks that this runtime connects only to addresses that the policy allows or, with
 * `egressProxy`, only to the proxy. Otherwise it throws `PINNING_UNSUPPORTED`.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for options that cannot work.
 */
export function createTestSender(callboard: AnyCallboard, options: TestSenderOptions = {}): TestSender {
  const { perMinute = 10, atOnce = 2, perHostAndMinute = 60, deadlineMs, extraCaCertificates, egressProxy } = options
  assertWhole({ perMinute, atOnce, perHostAndMinute }, 1, 1_000)
  const { subscriptions, accounts } = callboard
  const { apiSubscriptions, formats, headerNames, hooks, now, secretBox, store, targets } = engineOf(callboard)
  const clock = createStoreClock(now, () => undefined)
  const begin = createTestAllowance({
    perMinute,
    atOnce,
    perHostAndMinute,
    elapsed: options.elapsed ?? (() => performance.now()),
  })
  const transport =
    options.transport ??
    createHttpsTransport({
      addressPolicy: targets,
      deadlineMs,
      extraCaCertificates,
      egressProxy,
      // Tests are rare, so no connection is kept for the next test.
      maxIdleSockets: 0,
    })
  let proved: Promise<void> | undefined
  /**
   * Concurrent calls share one check, and after a success there is no further check. The platform's own transport is
   * not checked.
   */
  const prove = (): Promise<void> => {
    if (options.transport !== undefined) return Promise.resolve()
    proved ??= (egressProxy === undefined ? provePinning() : proveTunnelling()).catch((error: unknown) => {
      // The failure may be temporary, such as a lack of free ports, so the next test checks again.
      proved = undefined
      throw error
    })
    return proved
  }

  const sendTo = async (subscription: SubscriptionRecord, type: string, personalData: boolean): Promise<SentTest> => {
    const { accountId, id, targetUrl, signatures } = subscription
    const version = formats.served(subscription.apiVersion)
    if (!subscription.eventTypes.includes(type) || version.get(type) === undefined) {
      const message = "type must be one of the subscription's event types and be in the catalogue."
      throw validationFailed({ path: 'type', code: 'UNKNOWN', message })
    }
    const account = await accounts.find({ id: accountId })
    if (account === undefined) throw unknownSubscription()
    const end = begin(accountId, targetHost(targetUrl))
    try {
      await prove()
      const before = now()
      const { place } = await store.deliveries.due({ limit: 1, after: undefined })
      clock.compare(new Date(place.since), before, now())
      const at = clock.now()
      const event = createTestEvent({ version, account, type, personalData, now: at })
      const secret = await openSecrets(subscription.secrets, (sealed) => secretBox.open(id, sealed), hooks.onError)
      const body = new TextEncoder().encode(event.body)
      const signed = { url: targetUrl, id: event.id, body, secret, signatures, now: at }
      const { userAgent, test } = headerNames
      const request = signRequest({ ...signed, userAgent, headers: { [test]: 'true' } })
      const outcome = await transport.send(request)
      const { url, headers } = request
      return { eventId: event.id, type, ...whatCame(outcome), request: { url, headers, body: event.body } }
    } finally {
      end()
    }
  }

  return {
    async send({ by = 'account', ...ref }, type) {
      // Refuses an account the subscriptions of integrations, because these test them with `sendByKey`.
      const subscription = changeable(await subscriptions.health(ref), by)
      return sendTo(subscription, type, subscription.health.personalData)
    },
    async sendByKey(caller, id, input) {
      const { type } = readKinds(testRequest, input)
      const { state, personalData } = await apiSubscriptions.find(caller, id)
      if (state === 'disabled')
        throw new CallboardError('SUBSCRIPTION_DISABLED', 'The subscription is disabled. Enable it first.')
      const subscription = await subscriptions.find({ accountId: caller.account.id, mode: caller.mode, id })
      if (subscription === undefined) throw unknownSubscription()
      const sent = await sendTo(subscription, type, personalData)
      return keySeesPersonalData(caller.scopes) ? sent : { ...sent, response: undefined }
    },
    async close() {
      if (options.transport === undefined) await transport.close()
    },
  }
}

function whatCame(outcome: TransportOutcome): Omit<SentTest, 'eventId' | 'type' | 'request'> {
  const { durationMs } = outcome
  if (outcome.kind === 'failed')
    return { outcome: 'failed', status: undefined, reason: outcome.reason, durationMs, response: undefined }
  const { status, body } = outcome
  const result = responseOutcome(status) === 'delivered' ? 'delivered' : 'failed'
  return { outcome: result, status, reason: undefined, durationMs, response: body }
}
