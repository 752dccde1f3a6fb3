import { type CryptoPort, requireHmacSync } from './crypto-port.ts'
import { type RawBody, rawBody } from './raw-body.ts'
import { createSecretKeys } from './secret.ts'
import { signedHead } from './signed-head.ts'
import { header, type WebhookHeaders } from './webhook-headers.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * The maximum number of signatures that are checked. A rotation needs fewer. The limit bounds the work that an unknown
 * sender can cause.
 */
const MAX_SIGNATURES = 16

/** The compiler shows this string as the expected type when a caller passes parsed JSON as `body`. */
export type ParsedBody =
  'Pass the raw request body (await request.text()), not parsed JSON: the signature covers its bytes'

export interface VerifyRequest<B = RawBody> {
  /** The request body, exactly as received. Parsed JSON is an error, because the signed bytes are lost. */
  readonly body: B extends RawBody ? B : ParsedBody
  /** The request's headers, with names in any case. The values of a repeated header can be an array. */
  readonly headers: WebhookHeaders
  /** The signing secret, or several secrets during a rotation. It is enough that one secret matches. */
  readonly secret: string | readonly string[]
  /** How far `webhook-timestamp` may differ from now in either direction, in seconds; 300 by default. */
  readonly tolerance?: number | undefined
  /** The current time; `new Date()` by default. */
  readonly now?: Date | undefined
}

export interface VerifiedWebhook<T = unknown> {
  /** The same for every attempt to deliver the event. Store it, so that you can drop repeated deliveries. */
  readonly id: string
  /** When this attempt was made, not when the event happened. */
  readonly timestamp: Date
  /** The body as parsed JSON. Nothing checks that it has the type `T`. */
  readonly payload: T
}

export interface Verifying {
  verify<T = unknown, B = RawBody>(request: VerifyRequest<B>): Promise<VerifiedWebhook<T>>
  verifySync<T = unknown, B = RawBody>(request: VerifyRequest<B>): VerifiedWebhook<T>
}

export function createVerifying<Key>(port: CryptoPort<Key>): Verifying {
  const keysOf = createSecretKeys(port.importKey)
  return {
    async verify(request) {
      const keys = keysOf(request.secret)
      const claim = parse(request)
      return settle(claim, await Promise.all(keys.map((key) => port.hmac(key, claim.head, claim.body))), port)
    },
    verifySync(request) {
      const hmacSync = requireHmacSync(port)
      const keys = keysOf(request.secret)
      const claim = parse(request)
      return settle(
        claim,
        keys.map((key) => hmacSync(key, claim.head, claim.body)),
        port,
      )
    },
  }
}

/** A request that is well formed and recent, but whose signature is not verified yet. */
type Claim = ReturnType<typeof parse>

function parse<B>({ body, headers, tolerance = 300, now }: VerifyRequest<B>) {
  const raw = rawBody(body)
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = parseSignatures(header(headers, 'webhook-signature'))
  const head = signedHead(id, timestamp)
  const age = Math.floor((now === undefined ? Date.now() : Number(now)) / 1000) - Number(timestamp)
  // Written as a negation, so that an invalid `tolerance` or `now` refuses every request: a comparison with NaN is false.
  if (!(Math.abs(age) <= tolerance))
    throw new WebhookVerificationError(
      age < 0 ? 'TIMESTAMP_TOO_NEW' : 'TIMESTAMP_TOO_OLD',
      `webhook-timestamp is off by ${age} s, more than ${tolerance} s: check this machine's clock`,
    )
  return { id, timestamp, signatures, head, body: raw }
}

/**
 * Returns the well-formed `v1` signatures among the first 16 signatures. Signatures are separated by spaces, or by a
 * comma and a space if the runtime joined repeated headers.
 */
function parseSignatures(value: string): string[] {
  return value.split(/,? /, MAX_SIGNATURES).filter((entry) => /^v1,[A-Za-z\d+/]{43}=$/.test(entry))
}

function settle<T>(
  { id, timestamp, signatures, body }: Claim,
  expected: readonly string[],
  port: Pick<CryptoPort<unknown>, 'equal'>,
): VerifiedWebhook<T> {
  if (!expected.some((right) => signatures.some((given) => port.equal(given, `v1,${right}`)))) {
    throw new WebhookVerificationError('SIGNATURE_MISMATCH', 'No v1 signature matches: wrong secret or changed body')
  }
  return { id, timestamp: new Date(Number(timestamp) * 1000), payload: parseJson(body) }
}

function parseJson<T>(body: string | Uint8Array): T {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    // The error has no `cause`, because the message of the caught error quotes the body.
    throw new WebhookVerificationError('PAYLOAD_INVALID', 'The signed body is not JSON in UTF-8')
  }
}
