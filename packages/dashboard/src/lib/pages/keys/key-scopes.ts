import type { Scope } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { DashboardPermission } from '../../viewer.ts'

interface ScopeWords {
  /** What a key may, as part of a sentence. */
  readonly short: string
  /** In a form. */
  readonly label: string
  readonly meaning: string
  /** What its holder could do that somebody without these may not. */
  readonly needs: readonly DashboardPermission[]
}

/** The scopes of a key in words, in the order of a form. */
export const SCOPE_WORDS: Readonly<Record<Scope, ScopeWords>> = {
  'webhooks.read': {
    short: 'read events',
    label: 'Read events and event types',
    meaning: 'For tools that look for what is new, and to list what can be subscribed to.',
    needs: ['webhooks.read', 'events.read'],
  },
  'webhooks.write': {
    short: 'manage webhooks',
    label: 'Make and remove webhook subscriptions',
    meaning: 'What automation tools such as Zapier, Make and n8n need to switch an automation on and off.',
    needs: ['webhooks.write'],
  },
  'people.read': {
    short: 'see personal data',
    label: 'See personal data',
    meaning:
      'Names, e-mail addresses and the like, in events that are read and in those that are sent to its subscriptions.',
    needs: ['people.read'],
  },
}

/** Whether somebody may hand out a key of these scopes: nobody gives what they do not have. */
export function mayGive(scopes: readonly Scope[], call: Call): boolean {
  return scopes.every((scope) => SCOPE_WORDS[scope].needs.every((permission) => call.may(permission)))
}
