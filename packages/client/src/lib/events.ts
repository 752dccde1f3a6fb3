import type { AnyEventTypes, CallboardEvent, EventName } from '@callboard/signature'
import type { Call } from './call.ts'
import type { CallOptions } from './client-options.ts'
import type { Connection } from './connection.ts'
import { createEventList, type EventList, type EventsQuery } from './event-list.ts'
import { type FollowOptions, follow } from './follow.ts'

/** The calls that read events. They need the scope `webhooks.read`, and `people.read` too for personal data. */
export interface Events<Types extends object = AnyEventTypes> {
  /**
   * Returns a list of recent events, newest first. The list sends no request until you read it.
   *
   * @example
   * for await (const event of client.events({ type: 'order.paid' })) console.log(event.id, event.data)
   */
  <Name extends EventName<Types> = EventName<Types>>(
    query?: EventsQuery<Name>,
    options?: CallOptions,
  ): EventList<CallboardEvent<Types, Name>>
  /**
   * Follows the events forwards, without end: waits for new events, and connects again when the connection is lost. A
   * loop that continues at a saved cursor misses no event, and gets only those again that it had not finished. Throws
   * only what does not pass by itself, for example when the key is revoked.
   *
   * @example
   * for await (const event of client.events.follow({ after: await load(), onCursor: save })) await handle(event)
   */
  follow<Name extends EventName<Types> = EventName<Types>>(
    options?: FollowOptions<Name>,
  ): AsyncGenerator<CallboardEvent<Types, Name>, void, undefined>
}

export function createEvents<Types extends object>(connection: Connection, call: Call): Events<Types> {
  const list = <Name extends EventName<Types>>(
    query: EventsQuery<Name> = {},
    options?: CallOptions,
  ): EventList<CallboardEvent<Types, Name>> => createEventList(call, query, options)
  return Object.assign(list, {
    follow: <Name extends EventName<Types>>(options: FollowOptions<Name> = {}) =>
      follow<CallboardEvent<Types, Name>>(connection, call, options),
  })
}
