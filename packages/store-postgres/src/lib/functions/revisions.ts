/**
 * The revisions of each function, oldest first, each as the start of its text's SHA-256. `migrate` re-creates a
 * function unless the database has its current revision or a later one, so an older process never restores an older
 * revision. A change replaces the last entry if that has not been released, and otherwise appends one. A test names the
 * missing digest.
 */
export const REVISIONS: Readonly<Record<string, readonly string[]>> = {
  publish_event: ['fc8ba0aadbbec90d'],
  publish_events: ['190a4eeb740791b0'],
  sequence_outbox: ['cc127bcafbc96612'],
  sequence_and_lease: ['e7e9e5c4f00508f2'],
  take_requests: ['83d850a10ed3cf7e'],
  admit_requests: ['d75cd83f48b08b78'],
}
