import { createId } from '@callboard/core'
import type { EventDraft, LaneSettlement, LeasedLane, NewSubscription } from '@callboard/core/store'

/**
 * A draft of an `order.paid` event of account `a`. `key` is an idempotency key: with it, the same `input` may be
 * published again.
 */
export function eventDraft(subject: string = createId('evt'), key?: string, input = 'x'): EventDraft {
  return {
    accountId: 'a',
    mode: 'live',
    id: createId('evt'),
    type: 'order.paid',
    occurredAt: new Date(),
    subject: { type: 'order', id: subject },
    sequence: undefined,
    ownId: false,
    idempotencyKey: key,
    digests: key === undefined ? [] : [`k1.${input}`],
    head: '{"name":',
    middle: ',"sequence":',
    tail: '}',
    patch: null,
    fingerprint: 'f',
    personId: undefined,
    trace: undefined,
  }
}

/** A new subscription of account `a` to `order.paid`, like one created in the dashboard. */
export function newSubscription(overrides: Partial<NewSubscription> = {}): NewSubscription {
  return {
    id: createId('sub'),
    accountId: 'a',
    mode: 'live',
    source: 'dashboard',
    identity: undefined,
    enablesFrom: [],
    targetUrl: 'https://hooks.example.com/',
    eventTypes: ['order.paid'],
    integration: 'other',
    externalRef: undefined,
    apiVersion: 'v',
    sealedSecret: 's',
    confirmedBy: undefined,
    personalData: false,
    ...overrides,
  }
}

export function settled({ lease, through }: LeasedLane): LaneSettlement {
  const nothing = {
    attempts: [],
    retries: [],
    ended: [],
    subjects: [],
    breakerFailures: 0,
    succeeded: true,
    failedAttempts: 0,
  }
  return { ...nothing, lease, settledThrough: through, slow: false, pauseMs: 0, disable: undefined, keep: false }
}
