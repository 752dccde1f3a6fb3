/** Who may be named as the manager of a subscription (contract, 4.4). */
export interface Integration {
  /** As callers send it. */
  readonly name: string
  /** As people read it. */
  readonly displayName: string
}

/** What a platform has when it names none; `other` is always there (decisions, “Subscriptions”). */
export const DEFAULT_INTEGRATIONS: readonly Integration[] = [
  { name: 'zapier', displayName: 'Zapier' },
  { name: 'make', displayName: 'Make' },
  { name: 'n8n', displayName: 'n8n' },
]

/** The platform's integrations with `other` at the end, once. */
export function withOther(integrations: readonly Integration[]): readonly Integration[] {
  return [...integrations.filter(({ name }) => name !== 'other'), { name: 'other', displayName: 'Other' }]
}
