import * as z from 'zod'
import { isoTimeIssue, readIsoTime } from '../validation/iso-time.ts'
import { validationFailed } from '../validation/validation.ts'
import { readKinds, says } from './subscription-rules.ts'

/**
 * Checks only the types of the fields of `POST /v1/webhooks/subscriptions/:id/backfill`. {@link parseBackfill} checks
 * the rest.
 */
export const backfillInput: z.ZodType<{ since: string }> = z.object(
  {
    since: z
      .string(says('since', 'a string'))
      .meta({ description: 'Sends the events published at this time or later.', format: 'date-time' }),
  },
  { error: 'The body must be a JSON object.' },
)

/** @throws CallboardError `VALIDATION_FAILED` */
export function parseBackfill(input: unknown): { readonly since: Date } {
  const since = readIsoTime(readKinds(backfillInput, input).since)
  if (since === undefined) throw validationFailed(isoTimeIssue('since'))
  return { since }
}
