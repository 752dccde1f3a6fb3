import type { Callboard } from '@callboard/core'
import { attemptMessage, type SentTest } from '@callboard/core/engine'
import { createTestSender } from '@callboard/delivery'
import { Command } from 'commander'
import { anyAccountOption, type InMode, modeOption, type OfAnyAccount } from '../account-options.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandError, notFound } from '../command-error.ts'
import type { CallboardConfig } from '../define-config.ts'
import { duration } from '../duration.ts'
import { examples } from '../examples.ts'
import { refOf } from '../ref-of.ts'
import type { Columns } from '../table.ts'

/** What came of a test event. */
export type TestResult = Omit<SentTest, 'request'> & {
  /** Why there was no response; undefined if there was one. */
  readonly message: string | undefined
}

/** `callboard subscriptions test`. */
export function testSubscription(context: CommandContext): Command {
  const { out } = context
  return new Command('test')
    .argument('<subscription>')
    .description(
      'Sends a test event to a subscription, even to a disabled one, and shows what its target answered. The event has ' +
        'the sample of its type and `"test": true` in its body, and is signed like a delivery. Nothing is stored. ' +
        'Exits with 1 if the target does not accept it.',
    )
    .addOption(anyAccountOption())
    .addOption(modeOption())
    .option('--type <type>', "the event type (default: the subscription's first)")
    .addHelpText(
      'after',
      examples('callboard subscriptions test sub_…', 'callboard subscriptions test sub_… --type order.refunded'),
    )
    .action(async (id: string, { type, ...options }: OfAnyAccount & InMode & { readonly type?: string }) => {
      const callboard = await context.open('your catalogue, which has the samples, and your secret keys')
      const ref = await refOf(callboard, id, options)
      const found = await callboard.subscriptions.find(ref)
      if (found === undefined) throw notFound('There is no such subscription.')
      const first = found.eventTypes.find((name) => callboard.catalog.get(name) !== undefined) ?? found.eventTypes[0]
      const sender = senderOf(callboard, await context.platform())
      const { request: _, ...sent } = await sender
        .send({ ...ref, by: 'platform' }, type ?? first ?? '')
        .finally(sender.close)
      const result = { ...sent, durationMs: Math.floor(sent.durationMs), message: attemptMessage(sent) }
      out.show(result, FIELDS)
      if (sent.outcome === 'failed')
        throw new CommandError(result.message ?? `The target did not accept the event: it answered ${sent.status}.`)
    })
}

/** Sends as the platform's workers do: through their proxy, and trusting their certificates. */
function senderOf(callboard: Callboard, { worker = {} }: CallboardConfig): ReturnType<typeof createTestSender> {
  const { deadlineMs, egressProxy, extraCaCertificates, transport } = worker
  return createTestSender(callboard, { deadlineMs, egressProxy, extraCaCertificates, transport })
}

const FIELDS: Columns<TestResult> = {
  outcome: ({ outcome }) => outcome,
  status: ({ status, reason }) => status ?? reason,
  took: ({ durationMs }) => duration(durationMs),
  type: ({ type }) => type,
  event: ({ eventId }) => eventId,
  response: ({ response }) => response,
}
