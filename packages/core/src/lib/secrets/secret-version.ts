import { sha256 } from '#crypto'
import { encodeBase64Url } from '../encoding/base64url.ts'
import type { SealedSecret } from '../ports/subscription-record.ts'

/**
 * How many bytes of the digest to use. With 96 bits, two secrets of a subscription never get the same version by
 * chance.
 */
const BYTES = 12

/**
 * A name for the version of a secret, derived from its sealed form. The name changes when the secret is rotated or
 * sealed again.
 */
export async function secretVersion(secret: SealedSecret | undefined): Promise<string | undefined> {
  return secret && encodeBase64Url((await sha256(secret.sealed)).subarray(0, BYTES))
}
