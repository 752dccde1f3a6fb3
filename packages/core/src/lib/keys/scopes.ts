/** A permission of a key. `people.read` grants nothing alone: it adds personal data to events. */
export type Scope = 'webhooks.read' | 'webhooks.write' | 'people.read'

export const SCOPES: readonly Scope[] = ['webhooks.read', 'webhooks.write', 'people.read']

/** Whether a text is a scope. */
export function isScope(value: string): value is Scope {
  return SCOPES.some((scope) => scope === value)
}
