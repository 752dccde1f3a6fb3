import type { CallboardEvent, Client } from '@callboard/client'

// #region poll
const OVERLAP_MS = 10 * 60_000

/** What is new since the last time, oldest first. Keep `seen`, and the time of this call, where they outlive the process. */
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
