/**
 * The revisions of each function, oldest first; each is the start of the SHA-256 of the function's text. `migrate`
 * re-creates a function unless the database has its last revision or a later one, so an older process never undoes a
 * newer one's change. If you change a function, replace its last revision if that is unreleased; otherwise append one.
 * A test names the missing digest.
 */
export const REVISIONS: Readonly<Record<string, readonly string[]>> = {
  in_transaction: ['f160f407fed2b22d'],
  publish_event: ['96be1cedc6977a56'],
  publish_events: ['a770ae0cdb362a19'],
  sequence_outbox: ['802fa819fdc6def3'],
  sequence_and_lease: ['83461c7977407a2f'],
  settle_lanes: ['24d7aff5908c2356'],
  take_requests: ['d3ad1d1d270e2ea4'],
  admit_requests: ['fecfb04ab0cb73de'],
  rotate_key: ['673742e96389c822'],
  revoke_key: ['b15cb57b9c2a3f8d'],
  resend: ['88d32ec4b6309d13'],
  resend_range: ['458f31b8f5870826'],
  retain_events: ['4af17efbb7a7d547'],
  current_key: ['7f4338d35ca0b9c4'],
  end_pending: ['f542a4b31d707d1a'],
  disable_subscription: ['f68f157084c1f327'],
  enable_subscription: ['8e546b26559b82bd'],
  change_subscription: ['bd0f581d9475e5f9'],
  create_subscription: ['631c7e2afdce00b7'],
}
