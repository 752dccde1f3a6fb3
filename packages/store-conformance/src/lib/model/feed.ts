import type { Home } from './model.ts'
import type { World } from './world.ts'

/**
 * Reads the ids of a home's sequenced events, in the order of the feed, from the log of the home's reader. Marks these
 * events as sequenced in the model.
 */
export async function feedOf({ store }: World, { reader, events }: Home): Promise<string[]> {
  const request = { state: undefined, type: undefined, before: undefined, limit: 1000 }
  const { deliveries } = await store.deliveryLog.page(reader, request)
  const feed = deliveries.map(({ eventId }) => eventId).reverse()
  for (const event of events) event.sequenced ||= feed.includes(event.id)
  return feed
}
