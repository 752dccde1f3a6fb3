/**
 * SQL that raises the epoch of a lane `l`, which ends every lease on it. `LaneLease.epoch` in core's ports lists when
 * the epoch rises. Disabling a lane raises it even if no lease is held: in the state `disabled`, nothing but the epoch
 * shows whether one is.
 */
export const RAISED_EPOCH: string = 'l.epoch + 1'
