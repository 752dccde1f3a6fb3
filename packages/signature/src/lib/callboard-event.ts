import type { Redacted } from './redacted.ts'

/** What is known of event types where nobody says more: any name, `data` unknown. */
export type AnyEventTypes = { readonly [name: string]: unknown }

/** A catalogue of `@callboard/core`, as far as the types of events come from it. */
interface CatalogShape {
  readonly types: readonly {
    readonly name: string
    readonly sample: unknown
    readonly personalDataPaths?: readonly string[]
  }[]
}

/** `data` by the name of its event type: from `typeof catalog`, what is personal in it optional, or as it is given. */
export type EventDataByName<Types extends object> = Types extends CatalogShape
  ? { readonly [Type in Types['types'][number] as Type['name']]: Redacted<Type['sample'], PathOf<Type>> }
  : Types

type PathOf<Type> = Type extends { readonly personalDataPaths: readonly (infer Path extends string)[] } ? Path : never

/**
 * `data` by the name of its event type with what is personal in it, for a key with the scope `people.read`: use it in place
 * of `typeof catalog`. What the platform has erased is absent all the same.
 *
 * @example
 * type Event = CallboardEvent<WithPersonalData<typeof catalog>>
 */
export type WithPersonalData<Catalog extends CatalogShape> = {
  readonly [Type in Catalog['types'][number] as Type['name']]: Type['sample']
}

/** The sample of an event type: `data`, always with what is personal in it. */
export type EventSample<Types extends object, Name extends string> = Types extends CatalogShape
  ? WithPersonalData<Types>[Extract<keyof WithPersonalData<Types>, Name>]
  : Types[Extract<keyof Types, Name>]

/** Names of the event types, as a union. */
export type EventName<Types extends object = AnyEventTypes> = Extract<keyof EventDataByName<Types>, string>

/** An event as `GET /v1/events` and deliveries carry it, of one type. */
interface Envelope<Name extends string, Data> {
  /** The same in every delivery of the event, in its `webhook-id` and in `GET /v1/events`: remember it to drop repeats. */
  readonly id: string
  readonly type: Name
  /** Version of the event format, a date. */
  readonly version: string
  /** When it happened, ISO 8601 in UTC. */
  readonly occurred_at: string
  readonly account: { readonly id: string; readonly name: string }
  /** What it is about; `sequence` counts the events of that subject. */
  readonly subject: { readonly type: string; readonly id: string; readonly sequence: number }
  readonly correlation_id: string | null
  /** False in test mode. */
  readonly livemode: boolean
  /** Without its personal data where the key lacks the scope `people.read`, and where that was erased. */
  readonly data: Data
  /** True in a test event, which somebody sent from the account's dashboard: nothing has happened. Absent otherwise. */
  readonly test?: true | undefined
}

/**
 * An event, a union told apart by `type`. `Types` is `typeof catalog` where you have the platform's catalogue, or an
 * object type that maps names to `data`; left out, `data` is `unknown`.
 *
 * @example
 * type Event = CallboardEvent<{ 'order.paid': { order: { id: string } }; 'attendee.checked_in': { attendee: { id: string } } }>
 */
export type CallboardEvent<Types extends object = AnyEventTypes, Name extends EventName<Types> = EventName<Types>> = {
  [N in Name]: Envelope<N, EventDataByName<Types>[N]>
}[Name]
