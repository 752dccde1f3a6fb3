/**
 * SQL that raises the epoch of a lane `l`, which ends every lease on it. The docs of `LaneLease.epoch` list when the
 * epoch rises. Disabling a lane raises the epoch only if no lease is held, because a worker may still settle a lane
 * that was disabled during its lease. The epoch thus shows whether a lease had ended before the lane was disabled.
 */
export const RAISED_EPOCH: string = 'l.epoch + 1'
