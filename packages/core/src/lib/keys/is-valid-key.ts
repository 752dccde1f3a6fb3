import type { KeyRecord } from '../ports/key-store.ts'

/** Whether a key is neither revoked nor expired. */
export function isValidKey({ revokedAt, expiresAt }: KeyRecord, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt.getTime() > now)
}
