import { port } from '#crypto'
import type { RawBody } from './raw-body.ts'
import { createSigning, type Signing, type SignRequest } from './sign.ts'
import { createVerifying, type VerifiedWebhook, type Verifying, type VerifyRequest } from './verify.ts'

const signing: Signing = /* @__PURE__ */ createSigning(port)
const verifying: Verifying = /* @__PURE__ */ createVerifying(port)

/**
 * Resolves to the value of `webhook-signature` (Standard Webhooks 1.0.0): one `v1,<base64>` per secret, separated by
 * spaces. Rejects with a `WebhookVerificationError` for input that {@link verify} would refuse: `ID_INVALID`,
 * `TIMESTAMP_INVALID`, `BODY_INVALID`, `SECRET_INVALID`.
 */
export function sign(request: SignRequest): Promise<string> {
  return signing.sign(request)
}

/**
 * The synchronous {@link sign}, for Node, Bun and Deno (3 µs for 1 KiB on Node 24). Throws `SYNC_UNAVAILABLE` on other
 * runtimes.
 */
export function signSync(request: SignRequest): string {
  return signing.signSync(request)
}

/**
 * Resolves to the webhook if one of its signatures matches one of the secrets and its timestamp is within the
 * tolerance. Otherwise rejects with a `WebhookVerificationError` whose `code` says why.
 *
 * @example
 * const { id, payload } = await verify({ body: await request.text(), headers: request.headers, secret })
 */
export function verify<T = unknown, B = RawBody>(request: VerifyRequest<B>): Promise<VerifiedWebhook<T>> {
  return verifying.verify<T, B>(request)
}

/** The synchronous {@link verify}, for Node, Bun and Deno. Throws `SYNC_UNAVAILABLE` on other runtimes. */
export function verifySync<T = unknown, B = RawBody>(request: VerifyRequest<B>): VerifiedWebhook<T> {
  return verifying.verifySync<T, B>(request)
}
