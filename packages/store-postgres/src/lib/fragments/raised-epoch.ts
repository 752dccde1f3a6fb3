/**
 * SQL that raises the epoch of a lane `l`, which ends every lease on it. `LaneLease.epoch` in core's ports lists the
 * cases. The epoch also rises when a lane without a lease is disabled: in the state `disabled`, only the epoch shows
 * whether a lease is still held.
 */
export const RAISED_EPOCH: string = 'l.epoch + 1'
