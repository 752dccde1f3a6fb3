import type { Redacted } from './redacted.ts'

/** The default of `Types`: event types of any name, with unknown `data`. */
export type AnyEventTypes = { readonly [name: string]: unknown }

/** The part of a catalogue (from `@callboard/core`) that determines the types of its events. */
interface CatalogShape {
  readonly types: readonly {
    readonly name: string
    readonly sample: unknown
    readonly personalDataPaths?: readonly string[]
  }[]
}

/**
 * The type of `data` for each event type. If `Types` is `typeof catalog`, personal data is optional. Any other `Types`
 * is used unchanged.
 */
export type EventDataByName<Types extends object> = Types extends CatalogShape
  ? { readonly [Type in Types['types'][number] as Type['name']]: Redacted<Type['sample'], PathOf<Type>> }
  : Types

type PathOf<Type> = Type extends { readonly personalDataPaths: readonly (infer Path extends string)[] } ? Path : never

/**
 * The type of `data` for each event type, including personal data. Use it instead of `typeof catalog` for a key with
 * the scope `people.read`. Even then, personal data that the platform has erased is absent.
 *
 * @example
 * type Event = CallboardEvent<WithPersonalData<typeof catalog>>
 */
export type WithPersonalData<Catalog extends CatalogShape> = {
  readonly [Type in Catalog['types'][number] as Type['name']]: Type['sample']
}

/** The sample of an event type, which always includes personal data. */
export type EventSample<Types extends object, Name extends string> = Types extends CatalogShape
  ? WithPersonalData<Types>[Extract<keyof WithPersonalData<Types>, Name>]
  : Types[Extract<keyof Types, Name>]

/** Names of the event types, as a union. */
export type EventName<Types extends object = AnyEventTypes> = Extract<keyof EventDataByName<Types>, string>

/** An event of one type, as in `GET /v1/events` and in deliveries. */
interface Envelope<Name extends string, Data> {
  /**
   * The same in every delivery, in `webhook-id` and in `GET /v1/events`. Store it, so that you can drop repeated
   * deliveries.
   */
  readonly id: string
  readonly type: Name
  /** Version of the event format, a date. */
  readonly version: string
  /** When the event happened, in ISO 8601 and UTC. */
  readonly occurred_at: string
  readonly account: { readonly id: string; readonly name: string }
  /** The subject that the event is about. `sequence` is the event's number among the events of that subject. */
  readonly subject: { readonly type: string; readonly id: string; readonly sequence: number }
  readonly correlation_id: string | null
  /** False in test mode. */
  readonly livemode: boolean
  /** Without personal data if the key lacks the scope `people.read`, or if the data was erased. */
  readonly data: Data
  /**
   * True for a test event, which somebody sent from the account's dashboard and which never happened; otherwise absent.
   */
  readonly test?: true | undefined
}

/**
 * An event, as a union discriminated by `type`. `Types` is `typeof catalog` if you have the platform's catalogue.
 * Otherwise it maps the names of event types to `data`. Without `Types`, `data` is `unknown`.
 *
 * @example type Event = CallboardEvent<{ 'order.paid': { order: { id: string } }; 'attendee.checked_in': { attendee: {
 *   id: string } } }>
 */
export type CallboardEvent<Types extends object = AnyEventTypes, Name extends EventName<Types> = EventName<Types>> = {
  [N in Name]: Envelope<N, EventDataByName<Types>[N]>
}[Name]
