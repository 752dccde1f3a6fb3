/**
 * SQL that raises the epoch of a lane `l`, which ends every lease on it (see `LaneLease.epoch`). Disabling a lane
 * raises the epoch only if no lease is held, because a lease that is held at that moment may still be settled.
 */
export const RAISED_EPOCH: string = 'l.epoch + 1'
