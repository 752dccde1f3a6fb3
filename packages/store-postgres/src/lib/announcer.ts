/** How often a publishing process tells workers, in milliseconds. `NOTIFY` in every transaction cost a third of throughput: it makes commits wait for each other. */
const ANNOUNCE_EVERY_MS = 4

/** Gives the channel to notify in a publishing transaction when it is time to, and null otherwise. */
export function createAnnouncer(channel: string): () => string | null {
  let announcedAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - announcedAt < ANNOUNCE_EVERY_MS) return null
    announcedAt = now
    return channel
  }
}
