import type { FeedQuery } from '@callboard/core/engine'
import { assertQuery, readQuery, wholeNumber } from './query.ts'

/**
 * Reads the parameters of `GET /v1/events/feed`. Core checks the values.
 *
 * @throws Refusal a 400 for a parameter that is repeated or empty, or that belongs to `GET /v1/events`.
 */
export function readFeedQuery(search: string): FeedQuery {
  const { values, issues } = readQuery(search, ['after', 'since', 'types', 'limit', 'wait', 'cursor', 'type'])
  const { after, since, types, limit, wait } = values
  const mistaken = MISTAKEN.filter(({ path }) => values[path] !== undefined)
  assertQuery({ issues: [...issues, ...mistaken] })
  return { after, since, types: types?.split(','), limit: wholeNumber(limit), wait: wholeNumber(wait) }
}

const MISTAKEN = [
  { path: 'cursor', message: 'The feed has no cursor parameter. Send the nextCursor as after.' },
  { path: 'type', message: 'The feed has no type parameter. Send types, separated by commas.' },
] as const
