import type { Redacted } from './redacted.ts'

/** The default of `Types`: event types of any name, with unknown `data`. */
export type AnyEventTypes = { readonly [name: string]: unknown }

/** The part of a catalogue (from `@callboard/core`) that determines the TypeScript types of its events. */
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

/** The part of a catalogue that determines the TypeScript types of its events in each format version. */
interface VersionsShape {
  readonly versions: { readonly [version: string]: CatalogShape }
}

/**
 * The events of every format version of a catalogue, as a union discriminated by `version` and `type`. Use it instead
 * of `typeof catalog` while you move to a new version, because events from before the new version stay in the older
 * one.
 *
 * @example
 * const event = await verifyRequest<AnyVersion<typeof catalog>>(request, { secret })
 * if (event.version === '2026-10-01' && event.type === 'order.paid') await fulfil(event.data.order)
 */
export type AnyVersion<Catalog extends VersionsShape> = Pick<Catalog, 'versions'>

/** Names of the event types, as a union. */
export type EventName<Types extends object = AnyEventTypes> = Types extends CatalogShape
  ? NameIn<Types>
  : Types extends VersionsShape
    ? { [Version in keyof Types['versions']]: NameIn<Types['versions'][Version]> }[keyof Types['versions']]
    : NameIn<Types>

type NameIn<Types extends object> = Extract<keyof EventDataByName<Types>, string>

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
 * Otherwise it maps the name of each event type to the type of its `data`. Without `Types`, `data` is `unknown`.
 *
 * @example
 * type Event = CallboardEvent<{
 *   'order.paid': { order: { id: string } }
 *   'attendee.checked_in': { attendee: { id: string } }
 * }>
 */
export type CallboardEvent<
  Types extends object = AnyEventTypes,
  Name extends EventName<Types> = EventName<Types>,
> = Types extends CatalogShape
  ? EventOf<Types, Name>
  : Types extends VersionsShape
    ? EventInVersion<Types['versions'], Name>
    : EventOf<Types, Name>

type EventOf<Types extends object, Name extends string> = {
  [N in Extract<Name, NameIn<Types>>]: Envelope<N, EventDataByName<Types>[N]>
}[Extract<Name, NameIn<Types>>]

type EventInVersion<Versions extends VersionsShape['versions'], Name extends string> = {
  [Version in keyof Versions]: EventOf<Versions[Version], Name> & { readonly version: Version }
}[keyof Versions]
