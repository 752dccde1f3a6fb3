import * as z from 'zod'
import { RESENDABLE_STATES, type ResendableState, UNDELIVERED } from '../ports/delivery-log.ts'
import { readKinds, says } from '../subscriptions/subscription-rules.ts'
import { isoTimeIssue, readIsoTime } from '../validation/iso-time.ts'
import type { Issue } from '../validation/issue.ts'
import { validationFailed } from '../validation/validation.ts'

/** The body of `POST /v1/webhooks/subscriptions/:id/resend`. Only the types of its fields have been checked. */
interface RawResendRange {
  since: string
  until?: string | null | undefined
  states?: string[] | null | undefined
  cursor?: string | null | undefined
}

/**
 * Checks only the types of the fields of `POST /v1/webhooks/subscriptions/:id/resend`. The limits in `meta` are for the
 * OpenAPI document; {@link parseResendRange} enforces them.
 */
export const resendRangeInput: z.ZodType<RawResendRange> = z.object(
  {
    since: z
      .string(says('since', 'a string'))
      .meta({ description: 'Only events published at this time or later.', format: 'date-time' }),
    until: z.string(says('until', 'a string')).nullish().meta({
      description: 'Only events published before this time. Without it, there is no upper bound.',
      format: 'date-time',
    }),
    states: z
      .array(z.string(says('states', 'an array of strings')), says('states', 'an array of strings'))
      .nullish()
      .meta({
        description: `Only deliveries in these states; by default ${UNDELIVERED.join(', ')}. A delivery that succeeded can be resent on its own, but not as part of a range.`,
        minItems: 1,
      }),
    cursor: z.string(says('cursor', 'a string')).nullish().meta({
      description: 'The `nextCursor` of the previous response, to continue. Repeat all other fields with it.',
      minLength: 1,
    }),
  },
  { error: 'The body must be a JSON object.' },
)

export interface ParsedResendRange {
  readonly from: Date
  readonly to: Date | undefined
  /** Without repeats, and always in the same order, because a cursor is bound to it. */
  readonly states: readonly ResendableState[]
  readonly cursor: string | undefined
}

/** Throws one `VALIDATION_FAILED` that names every invalid field. */
export function parseResendRange(input: unknown): ParsedResendRange {
  const { since, until, states, cursor } = readKinds(resendRangeInput, input)
  const from = readIsoTime(since)
  const to = typeof until === 'string' ? readIsoTime(until) : undefined
  const issues = [
    from === undefined ? isoTimeIssue('since') : undefined,
    typeof until === 'string' && to === undefined ? isoTimeIssue('until') : undefined,
    from !== undefined && to !== undefined && to <= from ? TOO_EARLY : undefined,
    states ? statesIssue(states) : undefined,
  ].filter((issue) => issue !== undefined)
  if (from === undefined || issues.length > 0) throw validationFailed(issues)
  return {
    from,
    to,
    states: states ? RESENDABLE_STATES.filter((state) => states.includes(state)) : UNDELIVERED,
    cursor: cursor ?? undefined,
  }
}

const TOO_EARLY: Issue = { path: 'until', code: 'CONFLICT', message: 'until must be later than since.' }

function statesIssue(states: readonly string[]): Issue | undefined {
  const known: readonly string[] = RESENDABLE_STATES
  if (states.length > 0 && states.every((state) => known.includes(state))) return undefined
  const message = `states must list one or more of ${known.join(', ')}.`
  return { path: 'states', code: states.length === 0 ? 'COUNT' : 'UNKNOWN', message }
}
