/**
 * The revisions of each function, oldest first; each is the start of the SHA-256 of the function's text. `migrate`
 * re-creates a function unless the database has its last revision or a later one, so an older process never undoes a
 * newer one's change. If you change a function, replace its last revision if that is unreleased; otherwise append one.
 * A test names the missing digest.
 */
export const REVISIONS: Readonly<Record<string, readonly string[]>> = {
  in_transaction: ['f160f407fed2b22d'],
  publish_event: ['e08a1c7151c17134'],
  publish_events: ['a770ae0cdb362a19'],
  sequence_outbox: ['70590e58d123667b'],
  sequence_and_lease: ['3bb5c83b1ae7eb32'],
  settle_lanes: ['38e295e43555c72d'],
  take_requests: ['d3ad1d1d270e2ea4'],
  admit_requests: ['f8114af0b618e98a'],
  rotate_key: ['2ed373d60d393708'],
  revoke_key: ['b15cb57b9c2a3f8d'],
  resend: ['27798ee65fc59ca2'],
  resend_range: ['5c186adb8c215010'],
  count_range: ['ea7dde5ab04ecd60'],
  retain_events: ['8f82230518bf8324'],
  current_key: ['7f4338d35ca0b9c4'],
  end_pending: ['6e0a706d7cd9f72c'],
  disable_subscription: ['6be8a65074dce86b'],
  enable_subscription: ['9729e42910db323f'],
  start_backfill: ['ec3c8a2a2907c411'],
  change_subscription: ['b99fcca50a6da9ad'],
  create_subscription: ['0b6173cd02b4fb9a'],
  import_subscriptions: ['49d864276269fa92'],
  await_lock: ['edd58915f813db58'],
}
