import { isSecret } from '@callboard/signature'
import * as z from 'zod'
import type { Issue } from '../validation/issue.ts'
import { type TextRange, textIssue } from '../validation/text-rules.ts'
import { unknownFields } from '../validation/unknown-fields.ts'

/**
 * How deliveries are signed.
 * - `standard`: `webhook-signature`, as Standard Webhooks 1.0.0 says.
 * - `svix`: the same signature as `svix-signature`, with `svix-id` and `svix-timestamp`.
 * - {@link HmacSignature}: a header of the platform's own.
 */
export type SignatureFormat = 'standard' | 'svix' | HmacSignature

/**
 * A header with an HMAC-SHA256, whose key is the text of the newest secret in UTF-8.
 *
 * @example
 * // GitHub: X-Hub-Signature-256: sha256=<hex>
 * { type: 'hmac', header: 'X-Hub-Signature-256', over: 'body', encoding: 'hex', prefix: 'sha256=' }
 * // Stripe: Stripe-Signature: t=<seconds>,v1=<hex>
 * { type: 'hmac', header: 'Stripe-Signature', over: 'timestamp.body', encoding: 'hex', prefix: 't={timestamp},v1=' }
 */
export interface HmacSignature {
  readonly type: 'hmac'
  readonly header: string
  /** What is signed: the body, or the time of the attempt in Unix seconds, a full stop and the body. */
  readonly over: 'body' | 'timestamp.body'
  readonly encoding: 'hex' | 'base64'
  /**
   * What precedes the signature in the header; nothing by default. At most 64 printable ASCII characters.
   * `{timestamp}` stands for the signed timestamp.
   */
  readonly prefix?: string | undefined
  /** The header that carries the signed timestamp. Required with `timestamp.body` if the prefix has no `{timestamp}`. */
  readonly timestampHeader?: string | undefined
}

/** How deliveries are signed by default. */
export const STANDARD_SIGNATURES: readonly SignatureFormat[] = ['standard']

/** Returns undefined for `['standard']`, which needs no column. */
export function unlessStandard(
  signatures: readonly SignatureFormat[] | undefined,
): readonly SignatureFormat[] | undefined {
  return signatures?.length === 1 && signatures[0] === 'standard' ? undefined : signatures
}

const NAMED = ['standard', 'svix'] as const
const FORMATS_COUNT = { min: 1, max: 4 } as const
/** Length of a secret for which every signature is an `hmac`, in code points. */
const HMAC_SECRET_LENGTH: TextRange = { min: 1, max: 255 }

/** A token (RFC 9110, section 5.6.2) that begins with a letter or digit. */
const HEADER_NAME = /^[A-Za-z\d][\w!#$%&'*+.^`|~-]{0,63}$/
/** Headers that Callboard or HTTP itself sets, and those that proxies change. */
const RESERVED =
  /^(?:(?:accept|content|proxy|sec|svix|webhook|x-forwarded)-.*|accept|connection|cookie|date|expect|forwarded|host|http2-settings|keep-alive|range|te|traceparent|tracestate|trailer|transfer-encoding|upgrade|user-agent|via)$/i

/** Whether a header has a meaning of its own, so that no platform may give it another. */
export function isReservedHeader(name: string): boolean {
  return RESERVED.test(name)
}
const PREFIX = /^(?:[!-~][ -~]{0,63})?$/
const TIMESTAMP = '{timestamp}'

const choice = (name: string, ...choices: string[]): string => `${name} must be ${choices.map(quote).join(' or ')}.`
const quote = (text: string): string => `'${text}'`

const headerName = (name: string): z.ZodType<string> =>
  z
    .string(`${name} must be the name of a header.`)
    .regex(HEADER_NAME, `${name} must be the name of a header, 1 to 64 characters.`)
    .refine(
      (header) => !isReservedHeader(header) && !/^callboard-/i.test(header),
      `${name} must not be a header that Callboard or HTTP itself sets.`,
    )

const hmac = z
  .strictObject({
    type: z.literal('hmac', choice('type', 'hmac')),
    header: headerName('header'),
    over: z.enum(['body', 'timestamp.body'], choice('over', 'body', 'timestamp.body')),
    encoding: z.enum(['hex', 'base64'], choice('encoding', 'hex', 'base64')),
    prefix: z.string('prefix must be a string.').regex(PREFIX, 'prefix must be at most 64 printable ASCII characters.'),
    timestampHeader: headerName('timestampHeader'),
  })
  .partial({ prefix: true, timestampHeader: true })
  .check(({ value, issues }) => {
    const refuse = (field: string, message: string): void => {
      issues.push({ code: 'custom', path: [field], input: value, message })
    }
    const { over, prefix = '', timestampHeader } = value
    const stamped = prefix.includes(TIMESTAMP)
    if (over === 'timestamp.body' && timestampHeader === undefined && !stamped)
      refuse('timestampHeader', `timestampHeader is required, because prefix does not contain ${TIMESTAMP}.`)
    if (over === 'body' && timestampHeader !== undefined)
      refuse('timestampHeader', "timestampHeader needs over: 'timestamp.body'.")
    if (over === 'body' && stamped) refuse('prefix', `${TIMESTAMP} in prefix needs over: 'timestamp.body'.`)
  })

export type ParsedSignatures =
  | { readonly ok: true; readonly signatures: readonly SignatureFormat[] }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * Reads the formats of a subscription's signatures. `path` is the name of the field, and `testHeader` the header that
 * marks a test event, which no signature may replace.
 */
export function parseSignatures(path: string, input: unknown, testHeader: string): ParsedSignatures {
  const { min, max } = FORMATS_COUNT
  if (!Array.isArray(input) || input.length < min || input.length > max)
    return { ok: false, issues: [{ path, code: 'COUNT', message: `${path} must list ${min} to ${max} formats.` }] }
  const read = input.map((item: unknown, index) => parseFormat(`${path}.${index}`, item))
  const issues = read.flatMap((each) => ('issues' in each ? each.issues : []))
  if (issues.length > 0) return { ok: false, issues }
  const signatures = read.flatMap((each) => ('format' in each ? each.format : []))
  const headers = [testHeader, ...signatures.flatMap(headersOf)]
  const repeated = headers.find((name, index) => headers.indexOf(name) !== index)
  if (repeated === undefined) return { ok: true, signatures }
  const why = repeated === testHeader ? `${repeated}, which marks test events` : `${repeated} twice`
  return { ok: false, issues: [{ path, code: 'CONFLICT', message: `${path} must not use ${why}.` }] }
}

/**
 * The problem with a secret that signs in these formats. `standard` and `svix` need `whsec_` and the base64 of 24 to 64
 * bytes. An HMAC takes any text of 1 to 255 characters.
 */
export function secretIssue(path: string, secret: unknown, signatures: readonly SignatureFormat[]): Issue | undefined {
  const issue = textIssue(path, secret, HMAC_SECRET_LENGTH)
  if (issue !== undefined || takesAnySecret(signatures) || isSecret(String(secret))) return issue
  const message = `${path} must be whsec_ and the base64 of 24 to 64 bytes, unless every signature is an hmac.`
  return { path, code: 'FORMAT', message }
}

/** Whether every format is an `hmac`, whose key may be any text. */
export function takesAnySecret(signatures: readonly SignatureFormat[]): boolean {
  return signatures.every((format) => typeof format === 'object')
}

function parseFormat(path: string, item: unknown): { format: SignatureFormat } | { issues: Issue[] } {
  const named = NAMED.find((name) => name === item)
  if (named !== undefined) return { format: named }
  if (typeof item !== 'object' || item === null)
    return {
      issues: [{ path, code: 'UNKNOWN', message: `${path} must be 'standard', 'svix' or { type: 'hmac', … }.` }],
    }
  const parsed = hmac.safeParse(item)
  if (parsed.success) return { format: parsed.data }
  return {
    issues: parsed.error.issues.map((issue): Issue => {
      if (issue.code === 'unrecognized_keys') return { path, code: 'UNKNOWN', message: unknownFields(path, issue.keys) }
      return { path: [path, ...issue.path].join('.'), code: 'INVALID', message: issue.message }
    }),
  }
}

function headersOf(format: SignatureFormat): string[] {
  if (typeof format === 'string') return [format === 'svix' ? 'svix-signature' : 'webhook-signature']
  const { header, timestampHeader } = format
  return [header, ...(timestampHeader === undefined ? [] : [timestampHeader])].map((name) => name.toLowerCase())
}
