/**
 * Whether a stored event or subscription was made from a different input. Digests made with different secret keys
 * cannot be compared, so they count as digests of the same input.
 */
export function isAnotherInput(kept: string | undefined, digests: readonly string[]): boolean {
  if (kept === undefined || digests.includes(kept)) return false
  return digests.some((digest) => keyOfDigest(digest) === keyOfDigest(kept))
}

function keyOfDigest(digest: string): string {
  return digest.slice(0, digest.lastIndexOf('.'))
}
