import * as z from 'zod'
import { MODES } from '../accounts/mode.ts'
import { CallboardError } from '../errors.ts'
import { type Catalog, defineCatalog } from '../events/catalog.ts'
import { defineEventType, type EventType } from '../events/event-type.ts'
import { DISABLED_REASONS } from '../subscriptions/who-may-enable.ts'

const subscription = z.object({ id: z.string(), account_id: z.string(), mode: z.enum(MODES) })
const SAMPLE = { id: 'sub_01m7zqk3v8f0h2x9n4c6t1b5de', account_id: 'acc_1', mode: 'live' } as const

const failing = defineEventType({
  name: 'subscription.failing',
  description: 'Deliveries to a subscription keep failing.',
  family: 'subscriptions',
  descriptionKey: 'callboard.subscription_failing',
  schema: z.object({ subscription, since: z.iso.datetime(), attempts: z.int().positive() }),
  sample: { subscription: SAMPLE, since: '2026-11-22T08:30:00.000Z', attempts: 10 },
})

const disabled = defineEventType({
  name: 'subscription.disabled',
  description: 'A worker has disabled a subscription.',
  family: 'subscriptions',
  descriptionKey: 'callboard.subscription_disabled',
  schema: z.object({ subscription, reason: z.enum(DISABLED_REASONS) }),
  sample: { subscription: SAMPLE, reason: 'gone' },
})

const recovered = defineEventType({
  name: 'subscription.recovered',
  description: 'A subscription that failed receives deliveries again.',
  family: 'subscriptions',
  descriptionKey: 'callboard.subscription_recovered',
  schema: z.object({ subscription }),
  sample: { subscription: SAMPLE },
})

const TYPES: readonly EventType[] = [failing, disabled, recovered]

/** Callboard's own event types, which only the account `accountId` sees. */
export interface OperationalTypes {
  readonly accountId: string
  readonly types: readonly EventType[]
  readonly catalog: Catalog
}

/** @throws CallboardError `CONFIGURATION_INVALID` if the platform's catalogue already has one of Callboard's types. */
export function operationalTypes(accountId: string, { version, versions }: Catalog): OperationalTypes {
  for (const { name } of TYPES)
    if (Object.values(versions).some((each) => each.get(name) !== undefined))
      throw new CallboardError(
        'CONFIGURATION_INVALID',
        `The catalogue has the event type ${name}, which operationalAccount needs for itself.`,
      )
  return { accountId, types: TYPES, catalog: defineCatalog({ version, types: TYPES }) }
}
