import type { Issue } from '../validation/issue.ts'
import { pastIssue } from '../validation/validation.ts'

/** Length of a token of the platform's own, in characters. Shorter ones cannot be hard enough to guess. */
const TOKEN_LENGTH = { min: 20, max: 512 } as const

/** The token of a key that customers already have, which the platform created itself. */
export interface ImportedToken {
  /**
   * The SHA-256 of the token in UTF-8, as 64 hexadecimal digits. The token must consist of at least 128 random bits:
   * anybody who sees the hash of a token that can be guessed has the token. To be accepted, it must have 20–512
   * characters, and only those that RFC 6750 allows in `Authorization: Bearer` (`A–Z a–z 0–9 - . _ ~ + /`, then `=`).
   */
  readonly sha256: string
  /** When the key was created; now by default. */
  readonly createdAt?: Date | undefined
}

/** Whether a token may be one that was imported. Only its hash can tell. */
export function mayBeImported(token: string): boolean {
  return token.length >= TOKEN_LENGTH.min && token.length <= TOKEN_LENGTH.max
}

export function importIssues({ sha256, createdAt }: ImportedToken, now: number): (Issue | undefined)[] {
  return [
    typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256) ? undefined : BAD_HASH,
    createdAt === undefined ? undefined : pastIssue('createdAt', createdAt, now),
  ]
}

/** The bytes of a hash that {@link importIssues} accepts. */
export function hashBytes(sha256: string): Uint8Array {
  return Uint8Array.from(sha256.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
}

const BAD_HASH: Issue = {
  path: 'sha256',
  code: 'FORMAT',
  message: 'sha256 must be the SHA-256 of the token, as 64 hexadecimal digits.',
}
