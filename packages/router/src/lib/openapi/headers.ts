import { HEADER_EXAMPLES } from './examples.ts'
import type { JsonSchema } from './json-schema.ts'
import type { HeaderObject, Reference } from './openapi-document.ts'

export type HeaderName =
  | 'X-Request-Id'
  | 'Cache-Control'
  | 'ETag'
  | 'RateLimit-Policy'
  | 'RateLimit'
  | 'Callboard-Version'
  | 'Deprecation'
  | 'Sunset'
  | 'Link'
  | 'Retry-After'
  | 'WWW-Authenticate'

/** The schema of a header with one item for each rate-limit window, such as `"1s";q=40;w=1, "10s";q=250;w=10`. */
const windows = (item: string): JsonSchema => ({ type: 'string', pattern: `^"[0-9]+s"${item}(, "[0-9]+s"${item})*$` })
const text = (pattern: string): JsonSchema => ({ type: 'string', pattern })

/** The schema and the description of each header that a response may have. */
// biome-ignore format: a table
const DESCRIBED: Readonly<Record<HeaderName, readonly [JsonSchema, string]>> = {
  'X-Request-Id': [text('^req_[0-9a-z]{26}$'), 'Identifies this request. Quote it to support.'],
  'Cache-Control': [{ type: 'string', const: 'no-store' }, 'Responses must not be cached.'],
  ETag: [text('^"'), 'Names this version of the body (RFC 9110, 8.8.3).'],
  'RateLimit-Policy': [windows(';q=[0-9]+;w=[0-9]+'), "The key's rate limits: `q` requests every `w` seconds (draft-ietf-httpapi-ratelimit-headers)."],
  RateLimit: [windows(';r=[0-9]+;t=[0-9]+'), 'What is left of each rate limit: `r` requests until the limit resets, in `t` seconds.'],
  'Callboard-Version': [{ type: 'string', format: 'date' }, 'The format version of the response: the one that the request asked for, or that of the key.'],
  Deprecation: [text('^@[0-9]+$'), 'The time from which the format version is deprecated, in seconds since 1970 (RFC 9745); only for a version that has one.'],
  Sunset: [text(' GMT$'), 'When the format version may end (RFC 8594). Only for a version with an announced end.'],
  Link: [text('^<https:'), 'A page about the deprecation and the end of the format version.'],
  'Retry-After': [{ type: 'integer', minimum: 1 }, 'Whole seconds to wait before retrying.'],
  'WWW-Authenticate': [text('^Bearer '), 'How to authenticate, and why the key was refused (RFC 6750).'],
}

const NAMES = Object.keys(DESCRIBED).filter((name): name is HeaderName => Object.hasOwn(DESCRIBED, name))
const ALWAYS = ['X-Request-Id', 'Cache-Control'] as const
const WITH_KEY = ['RateLimit-Policy', 'RateLimit', 'Callboard-Version'] as const
const IF_DEPRECATED: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link']

function describe(name: HeaderName, required: boolean): HeaderObject {
  const [schema, description] = DESCRIBED[name]
  const example = HEADER_EXAMPLES[name.toLowerCase()]
  return { description, required, schema, example: schema.type === 'integer' ? Number(example) : example }
}

/** Every header that a response may have. */
export const headers: Readonly<Record<string, HeaderObject>> = Object.fromEntries(
  NAMES.map((name) => [name, describe(name, !IF_DEPRECATED.includes(name))]),
)

/**
 * Whether a response has the headers for the rate limits and the format version: always, only if the key was checked
 * before the failure (`perhaps`), or never.
 */
export type KeyHeaders = 'always' | 'perhaps' | 'never'

/** The headers of a response that a caller may keep if it asks each time whether it has changed. */
export const CACHED: Readonly<Record<string, HeaderObject | Reference>> = {
  'Cache-Control': {
    description: 'Only the caller may keep the response, and must ask whether it has changed.',
    required: true,
    schema: { type: 'string', const: 'private, no-cache' },
    example: 'private, no-cache',
  },
  ETag: { $ref: '#/components/headers/ETag' },
}

/** The headers of a response. */
export function responseHeaders(
  keyHeaders: KeyHeaders,
  ...more: HeaderName[]
): Record<string, HeaderObject | Reference> {
  const names = [
    ...ALWAYS,
    ...(keyHeaders === 'always' ? WITH_KEY : []),
    ...more,
    ...(keyHeaders === 'never' ? [] : IF_DEPRECATED),
  ]
  const perhaps = keyHeaders === 'perhaps' ? WITH_KEY : []
  return Object.fromEntries<HeaderObject | Reference>([
    ...names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
    ...perhaps.map((name) => [name, describe(name, false)] as const),
  ])
}
