import type { Envelope, EventType } from '@callboard/core'
import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import recorded from './recorded-answers.json' with { type: 'json' }

/** The problems that were recorded: a 400 looks different by what was wrong. */
export type ProblemExample = keyof typeof recorded.problems

/** What the router answers, as an example of the platform's own event types. */
export interface Examples {
  readonly getMe: object
  readonly listEventTypes: object
  readonly listEvents: object
  readonly subscriptionInput: object
  /** 201, and 200 for one that was there. */
  readonly created: object
  readonly existing: object
  readonly subscriptionId: string
  problem(name: ProblemExample): object
  /** A delivery, with the personal data that only some may read or without it. */
  event(type: EventType, personalData: boolean): object
}

/** Values of headers as they were answered, by their names in lower case. */
export const HEADER_EXAMPLES: Readonly<Record<string, string>> = {
  ...recorded.problems.RATE_LIMITED.headers,
  ...recorded.getMe.headers,
  'www-authenticate': recorded.problems.INSUFFICIENT_SCOPE.headers['www-authenticate'],
  ...recorded.delivery.headers,
}

/**
 * The answers that `test/record-answers.ts` got of a router on the memory store, with what belongs to that platform put
 * in the words of this one: its event types and their samples, its integrations, and where the router is mounted.
 */
export function createExamples(callboard: AnyCallboard, basePath: string): Examples {
  const { catalog, integrations } = callboard
  const { renderEvent } = engineOf(callboard)
  const names = catalog.types.slice(0, recorded.input.eventTypes.length).map(({ name }) => name)
  const subscription = {
    // A catalogue that is still empty has nothing better to show.
    eventTypes: names.length === 0 ? recorded.input.eventTypes : names,
    integration: integrations[0]?.name ?? recorded.input.integration,
  }
  const { body: pattern } = recorded.delivery
  const shown = (type: EventType, personalData: boolean, { id, ...rest }: Envelope = pattern): object => {
    const { name, sample } = type
    const event = { id, ...rest, type: name, version: catalog.version, subject: subjectOf(type), data: sample }
    if (personalData) return event
    // Of no type's fingerprint: it is redacted as an event is whose type has got other paths since.
    const stored = { id, type: name, body: JSON.stringify(event), patch: null, fingerprint: '' }
    return JSON.parse(renderEvent(stored, false))
  }
  const { data, ...page } = recorded.listEvents.body
  return {
    getMe: recorded.getMe.body,
    listEventTypes: { apiVersion: catalog.version, data: catalog.listed },
    listEvents: { data: catalog.types.slice(0, data.length).map((type, at) => shown(type, false, data[at])), ...page },
    subscriptionInput: { ...recorded.input, ...subscription },
    created: { ...recorded.created.body, ...subscription, apiVersion: catalog.version },
    existing: { ...recorded.existing.body, ...subscription, apiVersion: catalog.version },
    subscriptionId: recorded.created.body.id,
    problem(name) {
      const { body } = recorded.problems[name]
      return { ...body, path: basePath + body.path }
    },
    event: shown,
  }
}

/** A catalogue does not say what its events are about. Most have one object in `data`, which is just that. */
function subjectOf({ name, sample }: EventType): object {
  const [kind = name] = name.split('.')
  const ids = Object.values(sample).map((value) => (typeof value === 'object' && value !== null ? value.id : undefined))
  return { type: kind, id: ids.find((id) => typeof id === 'string') ?? `${kind}_1`, sequence: 1 }
}
