import type { Scope } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { DashboardPermission } from '../../viewer.ts'

/** The permissions that a viewer needs to grant a scope. */
const NEEDS: Readonly<Record<Scope, readonly DashboardPermission[]>> = {
  'webhooks.read': ['webhooks.read', 'events.read'],
  'webhooks.write': ['webhooks.write'],
  'people.read': ['people.read'],
}

/** Whether the viewer may grant these scopes. Viewers can grant only what they may do themselves. */
export function mayGive(scopes: readonly Scope[], call: Call): boolean {
  return scopes.every((scope) => NEEDS[scope].every((permission) => call.may(permission)))
}

/** The scopes of a key in a few words, such as “Read events, see personal data”. */
export function scopesInWords(scopes: readonly Scope[], { texts: { keys } }: Pick<Call, 'texts'>): string {
  if (scopes.length === 0) return keys.noScopes
  return scopes.map((scope, index) => keys.scope[scope][index === 0 ? 'first' : 'further']).join(', ')
}
