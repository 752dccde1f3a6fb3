/** An automation tool that can manage a subscription. */
export interface Integration {
  /** The name that callers send. */
  readonly name: string
  /** The name that people read. */
  readonly displayName: string
}

/** The default integrations. `other` is always added. */
export const DEFAULT_INTEGRATIONS: readonly Integration[] = [
  { name: 'zapier', displayName: 'Zapier' },
  { name: 'make', displayName: 'Make' },
  { name: 'n8n', displayName: 'n8n' },
]

/** The platform's integrations, with `other` once at the end. */
export function withOther(integrations: readonly Integration[]): readonly Integration[] {
  return [...integrations.filter(({ name }) => name !== 'other'), { name: 'other', displayName: 'Other' }]
}
