import { sha256 } from '#crypto'
import { encodeBase64Url } from '../encoding/base64url.ts'
import type { SealedSecret } from '../ports/subscription-store.ts'

/** 96 bits of the digest, enough that two secrets of a subscription never share them by chance. */
const BYTES = 12

/** A name for a secret, derived from its sealed text. It changes when the secret is rotated or sealed again. */
export async function secretVersion(secret: SealedSecret | undefined): Promise<string | undefined> {
  return secret && encodeBase64Url((await sha256(secret.sealed)).subarray(0, BYTES))
}
