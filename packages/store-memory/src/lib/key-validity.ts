import type { KeyRecord } from '@callboard/core'

/** Whether a key is neither revoked nor expired. */
export function isValid({ revokedAt, expiresAt }: KeyRecord, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt.getTime() > now)
}
