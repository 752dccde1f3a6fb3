/**
 * A permission of a key. `people.read` adds personal data to the events that the other scopes give access to; on its
 * own, it grants nothing.
 */
export type Scope = 'webhooks.read' | 'webhooks.write' | 'people.read'

export const SCOPES: readonly Scope[] = ['webhooks.read', 'webhooks.write', 'people.read']

/** Whether a string is a scope. */
export function isScope(value: string): value is Scope {
  return SCOPES.some((scope) => scope === value)
}
