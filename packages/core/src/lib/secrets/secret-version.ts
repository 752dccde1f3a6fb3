import { sha256 } from '#crypto'
import { encodeBase64Url } from '../encoding/base64url.ts'
import type { SealedSecret } from '../ports/subscription-store.ts'

/** 96 bits of the digest: what two secrets of one subscription never share by chance. */
const BYTES = 12

/** A name for a secret, of its sealed text: it changes when that is rotated, or sealed anew. */
export async function secretVersion(secret: SealedSecret | undefined): Promise<string | undefined> {
  return secret && encodeBase64Url((await sha256(secret.sealed)).subarray(0, BYTES))
}
