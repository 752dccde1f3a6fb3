import type { AuditEntry, DeliveryState, DisabledReason, SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { count } from '../../components/number.ts'
import { integrationName } from '../subscriptions/manager.ts'

/** The details of an entry in a few words; undefined if they add nothing to the action. */
export function detailWords(call: Call, details: AuditEntry['details']): string | undefined {
  const { audit, deliveries, subscriptions } = call.texts
  const { fields, scopes, states, reason, events, disabledSubscriptions, integration, apiVersion, ordering } = details
  const { state } = details
  const words = [
    listOf(fields, (name) => wordOf<keyof typeof audit.fields>(name, audit.fields)),
    listOf(scopes, (scope) => scope),
    listOf(states, (state) => wordOf<DeliveryState>(state, deliveries.states)),
    typeof reason === 'string' ? audit.reason(wordOf<DisabledReason>(reason, audit.reasons)) : undefined,
    typeof integration === 'string' && integration !== 'other' ? integrationName({ integration }, call) : undefined,
    typeof apiVersion === 'string' ? apiVersion : undefined,
    typeof state === 'string' ? wordOf<SubscriptionRecord['state']>(state, subscriptions.states) : undefined,
    typeof ordering === 'string' ? wordOf<SubscriptionRecord['ordering']>(ordering, audit.orderings) : undefined,
    typeof events === 'number' ? audit.events(count(call, events)) : undefined,
    typeof disabledSubscriptions === 'number' && disabledSubscriptions > 0
      ? audit.disabledSubscriptions(count(call, disabledSubscriptions))
      : undefined,
  ].filter((word) => word !== undefined)
  return words.length === 0 ? undefined : words.join(' · ')
}

function listOf(value: AuditEntry['details'][string] | undefined, word: (item: string) => string): string | undefined {
  return typeof value === 'object' && value.length > 0 ? value.map(word).join(', ') : undefined
}

/** The word for a recorded name. A name that has no word here is shown as it is. */
function wordOf<Name extends string>(name: string, words: Readonly<Record<Name, string>>): string {
  const known: Readonly<Record<string, string>> = words
  return (Object.hasOwn(known, name) ? known[name] : undefined) ?? name
}

/**
 * Names an actor in plain text. Operators stay unnamed, because their names are internal to the platform.
 *
 * @param names of keys, by id.
 */
export function actorName(call: Call, { type, id }: AuditEntry['actor'], names: ReadonlyMap<string, string>): string {
  const { audit } = call.texts
  if (type === 'key') {
    const name = id !== undefined && call.may('keys.read') ? names.get(id) : undefined
    return [audit.key, name ?? id].filter((word) => word !== undefined).join(' ')
  }
  if (type === 'viewer') return id ?? audit.somebody
  return type === 'worker' ? audit.automatically : audit.platform
}
