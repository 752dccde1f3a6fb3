import {
  type AnyCallboard,
  changeable,
  createTestEvent,
  engineOf,
  responseVerdict,
  type TestSender as SendsTests,
  type SentTest,
  unknownSubscription,
  validationFailed,
} from '@callboard/core/engine'
import type { EgressProxy } from '../http/egress-proxy.ts'
import { createHttpsTransport } from '../http/https-transport.ts'
import { provePinning } from '../http/pinning-canary.ts'
import { proveTunnelling } from '../http/tunnel-canary.ts'
import { signRequest } from '../signed-request.ts'
import type { Transport, TransportOutcome } from '../transport.ts'
import { assertWhole } from '../whole-number.ts'
import { createTestAllowance } from './test-allowance.ts'

export interface TestSenderOptions {
  /** Test events of an account in any minute at most, in this process; 10 by default. */
  readonly perMinute?: number | undefined
  /** Test events of an account under way at most, in this process; 2 by default. */
  readonly atOnce?: number | undefined
  /** One test in all, in milliseconds; 15 s by default as for deliveries, 30 s at most. */
  readonly deadlineMs?: number | undefined
  /** PEM certificates of authorities trusted beside the runtime's own; none by default. Those of the workers. */
  readonly extraCaCertificates?: readonly string[] | undefined
  /** A proxy that every test leaves through; none by default, whatever the environment says. That of the workers. */
  readonly egressProxy?: EgressProxy | undefined
  /** Sends the requests; pinned HTTP/1.1 on `node:tls` by default. A transport of the platform's own brings its own guard. */
  readonly transport?: Transport | undefined
  /** Monotonic milliseconds; `performance.now` by default. */
  readonly elapsed?: (() => number) | undefined
}

export interface TestSender extends SendsTests {
  /** Aborts what is under way and closes its connections. */
  close(): Promise<void>
}

/**
 * Sends test events to subscriptions that an account's people made, for the dashboard's `tests`. One is made of its type's sample, is
 * marked as what it is (`"test": true` in the body, header `callboard-test: true`), and goes by the same signature, guard, address policy and
 * deadline as a delivery, once. Nothing of it is stored, and nothing is held against the target.
 *
 * Before the first one it is proved that this runtime connects to the addresses that were judged: `send` throws
 * `PINNING_UNSUPPORTED` where it does not.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for options that cannot work.
 */
export function createTestSender(callboard: AnyCallboard, options: TestSenderOptions = {}): TestSender {
  const { perMinute = 10, atOnce = 2, deadlineMs, extraCaCertificates, egressProxy } = options
  assertWhole({ perMinute, atOnce }, 1, 1_000)
  const { catalog, subscriptions, accounts } = callboard
  const { now, secretBox, targets } = engineOf(callboard)
  const begin = createTestAllowance({ perMinute, atOnce, elapsed: options.elapsed ?? (() => performance.now()) })
  const transport =
    options.transport ??
    createHttpsTransport({
      addressPolicy: targets,
      deadlineMs,
      extraCaCertificates,
      egressProxy,
      // Tests are far apart: no connection is kept for one that may never come.
      maxIdleSockets: 0,
    })
  let proved: Promise<void> | undefined
  /** Once it has succeeded, and once for all who ask meanwhile; the platform's own transport proves itself. */
  const prove = (): Promise<void> => {
    if (options.transport !== undefined) return Promise.resolve()
    proved ??= (egressProxy === undefined ? provePinning() : proveTunnelling()).catch((error: unknown) => {
      // A machine that had no port or no time for it may have both by the next test.
      proved = undefined
      throw error
    })
    return proved
  }

  return {
    async send(ref, type) {
      // An integration tests the subscriptions that it created by its own means.
      const subscription = changeable(await subscriptions.find(ref), 'account')
      if (!subscription.eventTypes.includes(type) || catalog.get(type) === undefined) {
        const message = 'type must be one of the event types that the subscription names.'
        throw validationFailed({ path: 'type', code: 'UNKNOWN', message })
      }
      const account = await accounts.find(ref.accountId)
      if (account === undefined) throw unknownSubscription()
      const end = begin(ref.accountId)
      try {
        await prove()
        const at = now()
        const personalData = subscription.personalData ?? false
        const event = createTestEvent({ catalog, account, type, personalData, now: at })
        const secret = await Promise.all(subscription.secrets.map(({ sealed }) => secretBox.open(ref.id, sealed)))
        const body = new TextEncoder().encode(event.body)
        const request = signRequest({ url: subscription.targetUrl, id: event.id, body, secret, now: at })
        request.headers['callboard-test'] = 'true'
        const outcome = await transport.send(request)
        const { url, headers } = request
        return { eventId: event.id, type, ...whatCame(outcome), request: { url, headers, body: event.body } }
      } finally {
        end()
      }
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
  const verdict = responseVerdict(status) === 'delivered' ? 'delivered' : 'failed'
  return { outcome: verdict, status, reason: undefined, durationMs, response: body }
}
