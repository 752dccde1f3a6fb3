import type { EventsQuery } from '@callboard/core/engine'
import type { ProblemIssue } from './problem.ts'

/**
 * Reads the parameters of `GET /v1/events` from a query string. Reports parameters that are repeated or empty, and
 * ignores unknown ones. Core checks the values: a `limit` that is not decimal digits becomes NaN, which core refuses.
 */
export function readEventsQuery(search: string): {
  readonly query: EventsQuery
  readonly issues: readonly ProblemIssue[]
} {
  if (search === '') return NOTHING
  const parameters = new URLSearchParams(search)
  const issues: ProblemIssue[] = []
  const once = (name: string): string | undefined => {
    const [value, second] = parameters.getAll(name)
    if (second !== undefined) issues.push({ path: name, message: `${name} must be given only once.` })
    else if (value === '')
      issues.push({ path: name, message: `${name} must not be empty. Give a value or leave it out.` })
    return value
  }
  const type = once('type')
  const limit = once('limit')
  const cursor = once('cursor')
  return { query: { type, limit: limit === undefined ? undefined : decimal(limit), cursor }, issues }
}

const NOTHING = { query: {}, issues: [] } as const

function decimal(text: string): number {
  return /^[0-9]+$/.test(text) ? Number(text) : Number.NaN
}
