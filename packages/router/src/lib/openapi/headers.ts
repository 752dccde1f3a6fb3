import { HEADER_EXAMPLES } from './examples.ts'
import type { JsonSchema } from './json-schema.ts'
import type { HeaderObject, Reference } from './openapi-document.ts'

export type HeaderName =
  | 'X-Request-Id'
  | 'Cache-Control'
  | 'RateLimit-Policy'
  | 'RateLimit'
  | 'Retry-After'
  | 'WWW-Authenticate'

const header = (name: HeaderName, schema: JsonSchema, description: string): HeaderObject => ({
  description,
  required: true,
  schema,
  example: schema.type === 'integer' ? Number(exampleOf(name)) : exampleOf(name),
})
const exampleOf = (name: string): string | undefined => HEADER_EXAMPLES[name.toLowerCase()]
/** One item or more, such as `"1s";q=40;w=1, "10s";q=250;w=10`. */
const windows = (item: string): JsonSchema => ({ type: 'string', pattern: `^"[0-9]+s"${item}(, "[0-9]+s"${item})*$` })

/** Every header that an operation may answer with. */
export const headers: Readonly<Record<HeaderName, HeaderObject>> = {
  'X-Request-Id': header(
    'X-Request-Id',
    { type: 'string', pattern: '^req_[0-9a-z]{26}$' },
    'Names this request. Quote it to support.',
  ),
  'Cache-Control': header(
    'Cache-Control',
    { type: 'string', const: 'no-store' },
    'No answer is to be kept by a cache.',
  ),
  'RateLimit-Policy': header(
    'RateLimit-Policy',
    windows(';q=[0-9]+;w=[0-9]+'),
    "The key's windows: `q` requests in `w` seconds, each (draft-ietf-httpapi-ratelimit-headers).",
  ),
  RateLimit: header(
    'RateLimit',
    windows(';r=[0-9]+;t=[0-9]+'),
    'How the windows stand: `r` requests are left, and in `t` seconds all are again.',
  ),
  'Retry-After': header('Retry-After', { type: 'integer', minimum: 1 }, 'Whole seconds to wait before trying again.'),
  'WWW-Authenticate': header(
    'WWW-Authenticate',
    { type: 'string', pattern: '^Bearer ' },
    'How to authenticate, and what was wrong with the key that was sent (RFC 6750).',
  ),
}

const ALWAYS = ['X-Request-Id', 'Cache-Control'] as const
const WINDOWS = ['RateLimit-Policy', 'RateLimit'] as const

/** When a response tells how the key's windows stand: a fault may come before it is known whose key it is. */
export type Standing = 'told' | 'told when known' | 'untold'

/** The headers of a response. */
export function responseHeaders(standing: Standing, ...more: HeaderName[]): Record<string, HeaderObject | Reference> {
  const names = [...ALWAYS, ...(standing === 'told' ? WINDOWS : []), ...more]
  const perhaps = standing === 'told when known' ? WINDOWS : []
  return Object.fromEntries<HeaderObject | Reference>([
    ...names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
    ...perhaps.map((name) => [name, { ...headers[name], required: false }] as const),
  ])
}
