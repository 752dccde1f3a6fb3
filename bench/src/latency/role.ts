import { type Helper, startHelper } from '../lib/helper.ts'
import type { RoleReplies } from './role-process.ts'

/** A process that works or publishes for one contender. */
export type Role = Helper<RoleReplies>

export function startRole(): Role {
  return startHelper(new URL('./role-process.ts', import.meta.url))
}
