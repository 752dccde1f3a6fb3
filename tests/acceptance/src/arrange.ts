import type { Envelope, IssuedKey, IssueKeyInput, Owner, PublishInput } from '@callboard/core'
import { type EventsQuery, type EventTextsPage, engineOf } from '@callboard/core/engine'
import type { Caller } from '@callboard/core/store'
import type { SampleCallboard } from './on-each-store.ts'
import type { SampleCatalog } from './sample-catalog.ts'

export type OrderPaid = PublishInput<SampleCatalog, 'order.paid'>

/** An `order.paid` event of the account `acc`, with a buyer's personal data. */
export function orderPaidEvent(overrides: Partial<OrderPaid> = {}): OrderPaid {
  return {
    accountId: 'acc',
    type: 'order.paid',
    subject: { type: 'order', id: 'ord_1' },
    data: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', name: 'Ada', email: 'ada@example.com' } } },
    ...overrides,
  }
}

/** A key of the account `acc` that may read and write. */
export function issueKey(callboard: SampleCallboard, overrides: Partial<IssueKeyInput> = {}): Promise<IssuedKey> {
  return callboard.keys.issue({
    accountId: 'acc',
    name: 'test key',
    scopes: ['webhooks.read', 'webhooks.write'],
    ...overrides,
  })
}

/** The caller that a token identifies. */
export async function callerOf(callboard: SampleCallboard, token: string): Promise<Caller> {
  const admission = await engineOf(callboard).admissions.admit(`Bearer ${token}`)
  if (admission.outcome !== 'admitted') throw new Error(`not admitted: ${admission.outcome}`)
  return admission.caller
}

/** The caller that a new key identifies. */
export async function newCaller(callboard: SampleCallboard, overrides: Partial<IssueKeyInput> = {}): Promise<Caller> {
  return callerOf(callboard, (await issueKey(callboard, overrides)).token)
}

/** An `order.paid` envelope. */
interface OrderEnvelope extends Envelope {
  readonly data: { readonly order: { readonly buyer: object; readonly note?: string } }
}

/** Reads a page of events with a key; throws if the key is refused. */
export async function pageOf(
  callboard: SampleCallboard,
  token: string,
  query: EventsQuery = {},
): Promise<EventTextsPage> {
  const { page } = await engineOf(callboard).admissions.admitToEvents(`Bearer ${token}`, query)
  return page(callboard.catalog.version)
}

/** The events of a page. */
export async function envelopes(
  callboard: Pick<SampleCallboard, 'events'>,
  reader: Partial<Owner> & { personalData?: boolean } = {},
): Promise<OrderEnvelope[]> {
  const { data } = await callboard.events.page({ accountId: 'acc', ...reader })
  return [...data] as OrderEnvelope[]
}

/** The error that a call throws. If the call does not throw, the test fails. */
export async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
