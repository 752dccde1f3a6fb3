import type { CallboardEvent, Client } from '@callboard/client'

// #region poll
const OVERLAP_MS = 10 * 60_000

/**
 * Returns the events that are new since the last poll, oldest first. For the next poll, store `seen` and the time of
 * this call.
 */
export async function poll(client: Client, lastTime: Date, seen: Set<string>): Promise<CallboardEvent[]> {
  const fresh: CallboardEvent[] = []
  for await (const event of client.events({ limit: 100 })) {
    if (Date.parse(event.occurred_at) < lastTime.getTime() - OVERLAP_MS) break
    if (!seen.has(event.id)) fresh.unshift(event)
    seen.add(event.id)
  }
  return fresh
}
// #endregion
