import type { AnyPublishInput, Callboard, PublishedEvent } from '@callboard/core'
import * as z from 'zod'
import { catalog, type TicketingCatalog } from '../catalogue/catalog.ts'
import { text } from '../catalogue/fields.ts'
import { subjectOf } from '../catalogue/subject-of.ts'
import { invalid, issuesOf } from './problem.ts'
import { wording } from './wording.ts'

const NAMES = catalog.types.map(({ name }) => name)

/** The input of `POST /demo/events`. */
export const eventInput = z.strictObject({
  type: z.enum(NAMES),
  data: z.looseObject({}).optional(),
  occurredAt: z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 timestamp such as 2026-10-01T18:03:11Z' })
    .optional(),
  subject: z.strictObject({ type: text, id: text, sequence: z.int().min(0).optional() }).optional(),
  livemode: z.boolean().optional(),
  accountId: text.optional(),
})

/**
 * Publishes an event of any type. The default data is the type's sample. The default subject is taken from the data.
 */
export async function publishEvent(
  callboard: Pick<Callboard<TicketingCatalog>, 'publish'>,
  demoAccount: string,
  input: z.output<typeof eventInput>,
): Promise<PublishedEvent> {
  const { type, occurredAt, livemode = true, accountId = demoAccount } = input
  const definition = catalog.get(type)
  const data = input.data ?? definition?.sample ?? {}
  // Validates the data before `publish` does, because `publish` would report zod's messages instead of `wording`.
  const { error } = definition?.schema.safeParse(data, { error: wording }) ?? {}
  if (error !== undefined) throw invalid(issuesOf(error, ['data']))
  const subject = input.subject ?? subjectOf(data)
  if (subject === undefined)
    throw invalid([{ path: 'data', message: `must have the form of the sample of ${type} in GET /v1/event-types` }])
  const event = {
    accountId,
    type,
    subject,
    data,
    mode: livemode ? 'live' : 'test',
    occurredAt: occurredAt === undefined ? undefined : new Date(occurredAt),
  }
  // The cast is safe: `publish` validates the data against the schema of the type.
  return callboard.publish(event as AnyPublishInput<TicketingCatalog>)
}
