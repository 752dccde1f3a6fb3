/**
 * The revisions of each function, oldest first, as the start of the SHA-256 of their text. `migrate` re-creates a
 * function of which the database has no such revision or a later one; an older process never brings an older revision
 * back. A change that has not been released replaces the last entry, any other change appends one; a test says what is
 * missing.
 */
export const REVISIONS: Readonly<Record<string, readonly string[]>> = {
  publish_event: ['0c9f1fc5ba659a61'],
  publish_events: ['190a4eeb740791b0'],
  sequence_outbox: ['c0f5e170add9ac11'],
  sequence_and_lease: ['bbced66b0d16001f'],
  take_requests: ['bc5f6f475a133220'],
  admit_requests: ['5e6a1ae365599649'],
}
