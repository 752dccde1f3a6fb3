import type { Scope } from '@callboard/core'
import type { SubscriptionRef } from '@callboard/core/store'
import type { DashboardWorld } from './dashboard-world.ts'

/** The contents of the two accounts. Tests and screenshots refer to them by the names of these fields. */
export interface Accounts {
  /** Subscriptions of the account `harbour`. */
  readonly healthy: SubscriptionRef
  readonly broken: SubscriptionRef
  readonly gone: SubscriptionRef
  readonly slow: SubscriptionRef
  /** A subscription of `harbour` that was created in the dashboard. */
  readonly own: SubscriptionRef
  /** A subscription of the account `museum`. */
  readonly foreign: SubscriptionRef
  /** An event of `harbour`. Its delivery to `healthy` succeeded, and its delivery to `broken` is exhausted. */
  readonly lost: string
  /** An event of `harbour` whose delivery to `broken` is still retrying. */
  readonly retried: string
  /** An event of `museum`. */
  readonly foreignEvent: string
}

const SCOPES: readonly Scope[] = ['webhooks.read', 'webhooks.write']

/** Creates two accounts with subscriptions and events. One target fails, one returns 410, and one never responds. */
export async function seedAccounts(world: DashboardWorld): Promise<Accounts> {
  const { callboard, receivers } = world
  const [healthy, broken, gone, slow] = receivers
  if (healthy === undefined || broken === undefined || gone === undefined || slow === undefined) throw new Error('four')
  healthy.answer('/hooks/catch/1042', { body: '{"status":"success"}' })
  broken.answer('/orders', { status: 500, body: '{"error":"database is locked"}' })
  gone.answer('/webhook/7f3a', { status: 410, body: 'workflow deleted' })
  slow.answer('/door', 'hold')
  await callboard.accounts.create({ id: 'harbour', name: 'Harbour Hall' })
  await callboard.accounts.create({ id: 'museum', name: 'Museum of Rain' })

  const make = async (
    accountId: string,
    integration: string,
    targetUrl: string,
    type: string,
    externalRef?: string,
  ) => {
    const input = { targetUrl, eventTypes: [type], integration, ...(externalRef !== undefined && { externalRef }) }
    // Zapier's key may read personal data, so deliveries to Zapier contain such data.
    const scopes: readonly Scope[] = integration === 'zapier' ? [...SCOPES, 'people.read'] : SCOPES
    const { id } = await world.subscribe(accountId, input, { name: `Key of ${integration}`, scopes })
    return { accountId, mode: 'live' as const, id }
  }
  const refs = {
    healthy: await make('harbour', 'zapier', healthy.url('/hooks/catch/1042'), 'order.paid', 'zap_1042'),
    broken: await make('harbour', 'make', broken.url('/orders'), 'order.paid', 'scenario 88'),
    gone: await make('harbour', 'n8n', gone.url('/webhook/7f3a'), 'order.paid'),
    slow: await make('harbour', 'other', slow.url('/door'), 'attendee.checked_in'),
    foreign: await make('museum', 'zapier', healthy.url('/museum'), 'order.paid', 'museum-zap'),
  }

  const own = await callboard.subscriptions.create({
    accountId: 'harbour',
    targetUrl: healthy.url('/own'),
    eventTypes: ['order.paid', 'attendee.checked_in'],
    description: 'Our own ledger',
    personalData: true,
    idempotencyKey: 'own',
  })

  await world.work([30, 30])
  const lost: string[] = []
  for (const order of ['ord_1001', 'ord_1002', 'ord_1003'])
    lost.push(await world.sell('harbour', order, { name: 'Ada Lovelace', email: 'ada@example.com' }))
  const foreignEvent = await world.sell('museum', 'ord_museum', { name: 'Mina Museum' })
  for (const id of lost) {
    await world.becomes(refs.healthy, id, 'delivered')
    await world.becomes(refs.broken, id, 'exhausted')
  }
  await world.becomes(refs.foreign, foreignEvent, 'delivered')

  await world.work()
  const retried = await world.sell('harbour', 'ord_1004', { name: 'Grace Hopper', email: 'grace@example.com' })
  const waiting = await world.checkIn('harbour', 'att_1')
  await world.becomes(refs.broken, retried, 'retrying')
  await world.becomes(refs.slow, waiting, 'retrying')
  return {
    ...refs,
    own: { accountId: 'harbour', mode: 'live', id: own.id },
    lost: lost[0] ?? '',
    retried,
    foreignEvent,
  }
}
