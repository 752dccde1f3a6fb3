import type * as z from 'zod'

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an email address',
  datetime: 'an ISO 8601 timestamp such as 2026-10-01T18:03:11Z',
}

/**
 * Replaces zod's messages with messages that say what to do about the field, and never show the value that was sent. A
 * schema's own message is kept.
 */
export const wording: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type': {
      const kind = KINDS[issue.expected] ?? issue.expected
      return issue.input === undefined ? `is missing; it must be ${kind}` : `must be ${kind}`
    }
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'in the form of the sample'}`
    case 'too_small':
      return atLeast(issue.origin, String(issue.minimum))
    case 'too_big':
      return atMost(issue.origin, String(issue.maximum))
    case 'unrecognized_keys':
      return `has the unknown field ${issue.keys.join(', ')}; remove it or check its spelling`
    default:
      return 'must match the sample'
  }
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries' }

function atLeast(origin: string, minimum: string): string {
  const unit = UNITS[origin]
  return unit === undefined ? `must be at least ${minimum}` : `must have ${minimum} or more ${unit}`
}

function atMost(origin: string, maximum: string): string {
  const unit = UNITS[origin]
  return unit === undefined ? `must be at most ${maximum}` : `must have ${maximum} or fewer ${unit}`
}
