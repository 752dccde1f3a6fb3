import type { LaneLease } from '@callboard/core/store'

/** A key for a lane, the same while it is due and while it is leased. */
export function laneKey({ accountId, mode, id, laneId = id }: Omit<LaneLease, 'epoch'>): string {
  return `${laneId} ${mode} ${accountId}`
}
