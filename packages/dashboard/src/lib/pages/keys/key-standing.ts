import type { KeyRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import type { Html } from '../../html.ts'

/** A key's state as the viewer sees it. A `replaced` key has been rotated, but still works for a while. */
export type KeyStanding = 'active' | 'replaced' | 'expired' | 'revoked'

export function standingOf({ revokedAt, expiresAt, successorId }: KeyRecord, now: number): KeyStanding {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt !== undefined && expiresAt.getTime() <= now) return 'expired'
  return successorId === undefined ? 'active' : 'replaced'
}

export function keyBadge({ texts }: Pick<Call, 'texts'>, standing: KeyStanding): Html {
  const text = texts.keys.states[standing]
  if (standing === 'active') return badge('success', text)
  return standing === 'replaced' ? badge('warning', text, 'clock') : badge('neutral', text, 'cross')
}
