import type { CatalogVersion, Envelope, EventType } from '@callboard/core'
import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import recorded from './recorded-answers.json' with { type: 'json' }

/**
 * The names of the recorded problems. The status 400 has two names: one for an invalid query and one for an invalid
 * body.
 */
export type ProblemExample = keyof typeof recorded.problems

/** The examples in the OpenAPI document, with the platform's own event types. */
export interface Examples {
  readonly getMe: object
  readonly listEventTypes: object
  readonly listEvents: object
  readonly eventFeed: object
  readonly getEvent: object | undefined
  readonly eventId: string
  readonly subscriptionInput: object
  /** The response with the status 201. */
  readonly created: object
  /** The response with the status 200, for a subscription that already existed. */
  readonly existing: object
  /** A subscription without its secret. */
  readonly subscription: object
  readonly listSubscriptions: object
  readonly subscriptionId: string
  readonly listDeliveries: object
  readonly listAttempts: object
  readonly resentDelivery: object
  readonly resendRange: object
  readonly resentDeliveries: object
  readonly deliveredEventId: string
  readonly sourceAddresses: object
  readonly secretRotation: object
  readonly rotatedSecret: object
  readonly backfillInput: object
  readonly backfill: object
  readonly testRequest: object
  readonly sentTest: object
  problem(name: ProblemExample): object
  /** The body of a delivery, with or without personal data. */
  event(type: EventType, personalData: boolean): object
}

/** The recorded header values, by header name in lower case. */
export const HEADER_EXAMPLES: Readonly<Record<string, string>> = {
  ...recorded.problems.RATE_LIMITED.headers,
  ...recorded.getMe.headers,
  ...recorded.deprecated.headers,
  'www-authenticate': recorded.problems.INSUFFICIENT_SCOPE.headers['www-authenticate'],
  ...recorded.delivery.headers,
  etag: recorded.sourceAddresses.headers.etag,
}

/**
 * Creates examples from the responses that `test/record-answers.ts` recorded. The recorded event types, samples,
 * integrations and base path are replaced by those of this platform.
 */
export function createExamples(callboard: AnyCallboard, version: CatalogVersion, basePath: string): Examples {
  const { integrations } = callboard
  const { formats } = engineOf(callboard)
  const names = version.types.slice(0, recorded.input.eventTypes.length).map(({ name }) => name)
  const subscription = {
    // An empty catalogue has no names to show, so the example keeps the recorded names.
    eventTypes: names.length === 0 ? recorded.input.eventTypes : names,
    integration: integrations[0]?.name ?? recorded.input.integration,
  }
  const { body: pattern } = recorded.delivery
  const shown = (type: EventType, personalData: boolean, { id, ...rest }: Envelope = pattern): object => {
    const { name, sample } = type
    const event = { id, ...rest, type: name, version: version.version, subject: subjectOf(type), data: sample }
    if (personalData) return event
    // An empty fingerprint differs from that of every event type, so `formats.stored` removes the personal data at the
    // type's current paths.
    const stored = { id, type: name, body: JSON.stringify(event), patch: null, fingerprint: '' }
    return JSON.parse(formats.stored(stored, false))
  }
  const shownIn = ({ data, ...page }: { readonly data: readonly Envelope[] }): object => {
    return { data: version.types.slice(0, data.length).map((type, at) => shown(type, false, data[at])), ...page }
  }
  return {
    getMe: recorded.getMe.body,
    listEventTypes: { apiVersion: version.version, data: version.listed },
    listEvents: shownIn(recorded.listEvents.body),
    eventFeed: shownIn(recorded.eventFeed.body),
    getEvent: version.types.slice(0, 1).map((type) => shown(type, false, recorded.getEvent.body))[0],
    eventId: recorded.delivery.body.id,
    subscriptionInput: { ...recorded.input, ...subscription },
    created: { ...recorded.created.body, ...subscription, apiVersion: version.version },
    existing: { ...recorded.existing.body, ...subscription, apiVersion: version.version },
    subscription: { ...recorded.subscription.body, ...subscription, apiVersion: version.version },
    listSubscriptions: {
      ...recorded.listSubscriptions.body,
      data: recorded.listSubscriptions.body.data.map((each) => ({
        ...each,
        ...subscription,
        apiVersion: version.version,
      })),
    },
    subscriptionId: recorded.created.body.id,
    listDeliveries: {
      ...recorded.listDeliveries.body,
      data: recorded.listDeliveries.body.data.map((each) => ({ ...each, type: names[0] ?? each.type })),
    },
    listAttempts: recorded.listAttempts.body,
    resentDelivery: recorded.resentDelivery.body,
    resendRange: recorded.resendRange,
    resentDeliveries: recorded.resentDeliveries.body,
    backfillInput: recorded.backfillInput,
    backfill: recorded.backfill.body,
    deliveredEventId: recorded.listDeliveries.body.data[0]?.eventId ?? '',
    sourceAddresses: recorded.sourceAddresses.body,
    secretRotation: recorded.secretRotation,
    rotatedSecret: recorded.rotatedSecret.body,
    testRequest: { type: names[0] ?? recorded.sentTest.body.type },
    sentTest: { ...recorded.sentTest.body, type: names[0] ?? recorded.sentTest.body.type },
    problem(name) {
      const { body } = recorded.problems[name]
      return { ...body, path: basePath + body.path }
    },
    event: shown,
  }
}

/**
 * Guesses the subject of an example event, because a catalogue does not define subjects. The subject's id is the `id`
 * of the first object in the sample that has one.
 */
function subjectOf({ name, sample }: EventType): object {
  const [kind = name] = name.split('.')
  const ids = Object.values(sample).map((value) => (typeof value === 'object' && value !== null ? value.id : undefined))
  return { type: kind, id: ids.find((id) => typeof id === 'string') ?? `${kind}_1`, sequence: 1 }
}
