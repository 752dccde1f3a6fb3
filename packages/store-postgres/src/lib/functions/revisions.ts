/**
 * The revisions of each function, oldest first; each is the start of the SHA-256 of the function's text. `migrate`
 * re-creates a function unless the database has this revision or a later one, so an older process never undoes a newer
 * one's change. If you change a function, replace its last revision if that is unreleased; otherwise append one. A test
 * names the missing digest.
 */
export const REVISIONS: Readonly<Record<string, readonly string[]>> = {
  publish_event: ['fc8ba0aadbbec90d'],
  publish_events: ['190a4eeb740791b0'],
  sequence_outbox: ['43d49c439226630e'],
  sequence_and_lease: ['f1348c7ba0efbbe6'],
  take_requests: ['83d850a10ed3cf7e'],
  admit_requests: ['cb990040439bfa69'],
}
