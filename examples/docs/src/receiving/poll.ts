import type { CallboardEvent, Client } from '@callboard/client'

// #region poll
/** Handles all new events, oldest first. Returns the cursor to store for the next poll. */
export async function poll(
  client: Client,
  cursor: string | undefined,
  handle: (event: CallboardEvent) => Promise<void>,
): Promise<string> {
  for (let after = cursor; ; ) {
    const { data, nextCursor, hasMore, truncated } = await client.events.feed({ after, limit: 100 })
    if (truncated) console.warn('Events may be missing. Read the state of your orders anew.')
    for (const event of data) await handle(event)
    after = nextCursor
    if (!hasMore) return after
  }
}
// #endregion
