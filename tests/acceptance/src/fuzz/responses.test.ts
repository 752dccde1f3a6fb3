import { runUntilIdle, type Transport } from '@callboard/delivery'
import fc from 'fast-check'
import { expect } from 'vitest'
import { orderPaidEvent } from '../arrange.ts'
import { describeOnEachStore, type SampleCallboard } from '../on-each-store.ts'
import { nasty } from './nasty-text.ts'

const RUNS = 60

/** Delivers one event for each of these texts, which the target sends as its body and in its headers. */
async function deliver(callboard: SampleCallboard, texts: readonly string[]) {
  const subscription = await callboard.subscriptions.create({
    accountId: 'acc',
    mode: 'live',
    targetUrl: 'https://hooks.example.com/',
    eventTypes: ['order.paid'],
    integration: 'other',
  })
  const left = [...texts]
  const sent: string[] = []
  const transport: Transport = {
    async send({ headers }) {
      sent.push(String(headers['webhook-id']))
      const body = (left.pop() ?? '').slice(0, 5_000)
      return { kind: 'response', status: 200, body, retryAfter: body, date: body, truncated: false, durationMs: 1 }
    },
    close: () => undefined,
  }
  await callboard.publishMany(texts.map(() => orderPaidEvent()))
  await runUntilIdle(callboard, { transport, deadlineMs: 60_000 })
  const { attempts } = await callboard.deliveries.attempts({
    ...subscription,
    subscriptionId: subscription.id,
    limit: 100,
  })
  return { sent, attempts }
}

describeOnEachStore('whatever a target answers', {
  any(it) {
    it('is recorded, and the delivery is sent once', async ({ callboard }) => {
      const texts = fc.sample(nasty, RUNS)
      const { sent, attempts } = await deliver(callboard, texts)
      expect(new Set(sent).size).toBe(RUNS)
      expect(sent).toHaveLength(RUNS)
      expect(
        attempts.filter(({ outcome, response }) => outcome === 'delivered' && response !== undefined),
      ).toHaveLength(RUNS)
    })
  },
  sql(it) {
    it('is recorded with ? for each character that the database cannot store', async ({ callboard, fixture }) => {
      // Stands for a database whose encoding lacks these characters.
      await fixture.query('alter table callboard.attempts add check (octet_length(response) = length(response))')
      const { sent, attempts } = await deliver(callboard, ['thanks 😀\n'])
      expect(sent).toHaveLength(1)
      expect(attempts.map(({ response }) => response)).toEqual(['thanks ?\n'])
    })
  },
})
