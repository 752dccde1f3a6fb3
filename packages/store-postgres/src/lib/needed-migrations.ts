/** Which migrations the statements need. */
export const NEEDED_MIGRATIONS: readonly string[] = [
  '0001-initial.sql',
  '0002-operations.sql',
  '0003-maintenance.sql',
  '0004-outbox-order.sql',
  '0005-publish.sql',
  '0006-sequencing.sql',
  '0007-rate-limiter.sql',
  '0008-place-and-lease.sql',
  '0009-admission.sql',
  '0010-traces.sql',
  '0011-own-subscriptions.sql',
  '0012-health.sql',
  '0013-ended-places.sql',
]
