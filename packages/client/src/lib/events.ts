import type { AnyEventTypes, CallboardEvent, EventName } from '@callboard/signature'
import type { Call } from './call.ts'
import type { CallOptions } from './client-options.ts'
import type { Connection } from './connection.ts'
import { type FeedPage, type FeedQuery, feedPath } from './event-feed.ts'
import { type FollowOptions, follow } from './follow.ts'
import { createList, type List, type ListQuery } from './list.ts'

/** The query of `GET /v1/events`. */
export interface EventsQuery<Name extends string = string> extends ListQuery {
  /** Only events of this type. */
  readonly type?: Name | undefined
}

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
  ): List<CallboardEvent<Types, Name>>
  /** Returns one event. Rejects with `NOT_FOUND` for an event that the list no longer contains. */
  get(id: string, options?: CallOptions): Promise<CallboardEvent<Types>>
  /**
   * Reads one page of the events forwards, oldest first. To read on, pass its `nextCursor` as `after`: that misses no
   * event and gets none twice. `follow` does this for you.
   */
  feed<Name extends EventName<Types> = EventName<Types>>(
    query?: FeedQuery<Name>,
    options?: CallOptions,
  ): Promise<FeedPage<CallboardEvent<Types, Name>>>
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
  ): List<CallboardEvent<Types, Name>> => createList(call, '/v1/events', query, options)
  return Object.assign(list, {
    feed: <Name extends EventName<Types>>(query: FeedQuery<Name> = {}, options?: CallOptions) =>
      call<FeedPage<CallboardEvent<Types, Name>>>('GET', feedPath(query), {
        // A call that waits has the same time for its answer as any other, after the wait.
        ...(query.wait === undefined ? {} : { timeoutMs: 30_000 + query.wait * 1000 }),
        ...options,
      }),
    get: (id: string, options?: CallOptions) =>
      call<CallboardEvent<Types>>('GET', `/v1/events/${encodeURIComponent(id)}`, options),
    follow: <Name extends EventName<Types>>(options: FollowOptions<Name> = {}) =>
      follow<CallboardEvent<Types, Name>>(connection, call, options),
  })
}
