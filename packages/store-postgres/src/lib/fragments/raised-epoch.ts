/**
 * SQL that raises the epoch of a lane `l`, which ends every lease on it. `LaneLease.epoch` in core's ports lists the
 * cases. A lane that is disabled without a lease is one of them: its state no longer tells that nobody holds it, so its
 * epoch does.
 */
export const RAISED_EPOCH: string = 'l.epoch + 1'
