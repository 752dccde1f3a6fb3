import * as z from 'zod'
import { timestamp } from './fields.ts'

/** A backfill, as every call about it returns it. */
export interface BackfillBody {
  state: 'running' | 'done' | 'cancelled'
  since: string
  startedAt: string
  reachedAt: string | null
}

const backfillBody: z.ZodType<BackfillBody> = z
  .strictObject({
    state: z
      .enum(['running', 'done', 'cancelled'])
      .describe('`done` when all its events were sent; deliveries that failed may still be retried.'),
    since: timestamp.describe('It sends the events published at this time or later.'),
    startedAt: timestamp.describe('When it was started or last extended.'),
    reachedAt: timestamp
      .nullable()
      .describe('When the last event that it has passed was published; null before the first.'),
  })
  .describe('The sending of events from before a subscription.')

/** The document's schemas of this section. */
export const backfillSchemas: Readonly<Record<string, z.ZodType>> = { WebhookBackfill: backfillBody }
