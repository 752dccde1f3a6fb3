/**
 * SQL that raises the epoch of a lane `l`: every lease from before is lost. Each use is a case that `LaneLease.epoch` in core's ports
 * lists, and one more: a lane that is disabled while nobody holds it, or by the settle that ends its last lease. Its state no
 * longer says that no lease is held, so its epoch does.
 */
export const RAISED_EPOCH: string = 'l.epoch + 1'
