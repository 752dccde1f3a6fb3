import type { Caller, IssuedKey, IssueKeyInput, PublishInput } from '@callboard/core'
import type { SampleCallboard } from './on-each-store.ts'
import type { SampleCatalog } from './sample-catalog.ts'

export type OrderPaid = PublishInput<SampleCatalog, 'order.paid'>

/** An `order.paid` event of the account `acc`, with a buyer's personal data. */
export function orderPaidEvent(overrides: Partial<OrderPaid> = {}): OrderPaid {
  return {
    account: 'acc',
    type: 'order.paid',
    subject: { type: 'order', id: 'ord_1' },
    data: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', name: 'Ada', email: 'ada@example.com' } } },
    ...overrides,
  }
}

/** A key of the account `acc` that may read and write. */
export function issueKey(callboard: SampleCallboard, overrides: Partial<IssueKeyInput> = {}): Promise<IssuedKey> {
  return callboard.keys.issue({
    account: 'acc',
    name: 'test key',
    scopes: ['webhooks.read', 'webhooks.write'],
    ...overrides,
  })
}

/** Whom a token stands for. */
export async function callerOf(callboard: SampleCallboard, token: string): Promise<Caller> {
  const admission = await callboard.admissions.admit(`Bearer ${token}`)
  if (admission.outcome !== 'admitted') throw new Error(`not admitted: ${admission.outcome}`)
  return admission.caller
}

/** Whom a new key stands for. */
export async function newCaller(callboard: SampleCallboard, overrides: Partial<IssueKeyInput> = {}): Promise<Caller> {
  return callerOf(callboard, (await issueKey(callboard, overrides)).token)
}

/** What tests look into of the events that they published. */
export interface Envelope {
  readonly id: string
  readonly type: string
  readonly occurred_at: string
  readonly subject: { readonly id: string; readonly sequence: number }
  readonly account: { readonly id: string; readonly name: string }
  readonly data: { readonly order: { readonly buyer: object; readonly note?: string } }
}

/** The events of a page, parsed. */
export async function envelopes(
  callboard: Pick<SampleCallboard, 'events'>,
  reader: { account?: string; mode?: 'live' | 'test'; personalData?: boolean } = {},
): Promise<Envelope[]> {
  const { events } = await callboard.events.page({ account: 'acc', ...reader })
  return events.map((event) => JSON.parse(event))
}

/** What a call threw; the call must throw. */
export async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
