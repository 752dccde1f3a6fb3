/**
 * SQL that raises the epoch of a lane `l`, which ends every lease on it. `LaneLease.epoch` in core's ports lists when
 * the epoch rises. Disabling a lane also raises the epoch if no lease is held. A worker may still settle a lane that
 * was disabled during its lease, and only the epoch shows whether the lease had ended before the lane was disabled.
 */
export const RAISED_EPOCH: string = 'l.epoch + 1'
