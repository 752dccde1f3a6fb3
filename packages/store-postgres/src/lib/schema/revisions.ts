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
  sequence_outbox: ['fbf0af32d6f894cd'],
  sequence_and_lease: ['c6a2fda20655c79a'],
  settle_lanes: ['ef86f57f9547e3f8'],
  take_requests: ['d3ad1d1d270e2ea4'],
  admit_requests: ['f8114af0b618e98a'],
  rotate_key: ['673742e96389c822'],
  revoke_key: ['b15cb57b9c2a3f8d'],
  resend: ['d2f15b21ed5012d1'],
  resend_range: ['decb71bbf55923a6'],
  retain_events: ['8ce20c9d4845ceb7'],
  current_key: ['7f4338d35ca0b9c4'],
  end_pending: ['459404c04205f80a'],
  disable_subscription: ['f68f157084c1f327'],
  enable_subscription: ['9729e42910db323f'],
  change_subscription: ['684aac5e3aa40436'],
  create_subscription: ['b7b90169da9333a8'],
  await_lock: ['1ba969a68c3c15ae'],
}
