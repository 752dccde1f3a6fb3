/**
 * Identifies the shape of an event's data: its format version, and the members that the personal-data paths of its type
 * remove. The order of the paths, duplicates, and paths below another path make no difference. Because each event is
 * stored with its fingerprint, the fingerprint of a shape must never change.
 */
export function shapeFingerprint(version: string, paths: readonly string[]): string {
  const text = JSON.stringify([version, ...withoutCovered(paths).sort()])
  // 64-bit FNV-1a is synchronous, unlike WebCrypto, and long enough to distinguish the few shapes of one platform.
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  return hash.toString(16).padStart(16, '0')
}

function withoutCovered(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)]
  return unique.filter((path) => !unique.some((other) => path.startsWith(`${other}.`)))
}
