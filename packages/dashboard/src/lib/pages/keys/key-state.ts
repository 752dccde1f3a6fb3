import type { KeyRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import type { Html } from '../../html.ts'

/** A key's state as the viewer sees it. A `replaced` key has been rotated, but still works for a while. */
export type KeyState = 'active' | 'replaced' | 'expired' | 'revoked'

export function keyStateOf({ revokedAt, expiresAt, successorId }: KeyRecord, now: number): KeyState {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt !== undefined && expiresAt.getTime() <= now) return 'expired'
  return successorId === undefined ? 'active' : 'replaced'
}

export function keyBadge({ texts }: Pick<Call, 'texts'>, state: KeyState): Html {
  const text = texts.keys.states[state]
  if (state === 'active') return badge('success', text)
  return state === 'replaced' ? badge('warning', text, 'clock') : badge('neutral', text, 'cross')
}
