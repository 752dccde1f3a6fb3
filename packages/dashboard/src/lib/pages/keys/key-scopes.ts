import type { Scope } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { DashboardPermission } from '../../viewer.ts'

interface ScopeWords {
  /** The scope's name where several are listed, such as “read events” in “read events, see personal data”. */
  readonly short: string
  /** The scope's name in the form. */
  readonly label: string
  readonly meaning: string
  /** The permissions that a viewer needs to grant the scope. */
  readonly needs: readonly DashboardPermission[]
}

/** The scopes of a key in words. */
export const SCOPE_WORDS: Readonly<Record<Scope, ScopeWords>> = {
  'webhooks.read': {
    short: 'read events',
    label: 'Read events and event types',
    meaning: 'For tools that poll for new events or list the available event types.',
    needs: ['webhooks.read', 'events.read'],
  },
  'webhooks.write': {
    short: 'manage subscriptions',
    label: 'Create and remove subscriptions',
    meaning: 'Automation tools such as Zapier, Make and n8n need this to turn automations on and off.',
    needs: ['webhooks.write'],
  },
  'people.read': {
    short: 'see personal data',
    label: 'See personal data',
    meaning:
      'Names, email addresses and similar fields, in events that the key reads and in deliveries to its subscriptions.',
    needs: ['people.read'],
  },
}

/** Whether the viewer may grant these scopes. Viewers can grant only what they may do themselves. */
export function mayGive(scopes: readonly Scope[], call: Call): boolean {
  return scopes.every((scope) => SCOPE_WORDS[scope].needs.every((permission) => call.may(permission)))
}
