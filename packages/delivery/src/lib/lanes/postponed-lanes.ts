import type { DueLane, LaneLease, PostponedLanes } from '@callboard/core/store'
import { laneKey } from './lane-key.ts'

/** A lane that was postponed is due again after this time, in milliseconds, so that another worker takes it. */
export const POSTPONE_MS = 1_000
/** How long a worker leaves a lane alone after it has postponed it, in milliseconds. */
const ALONE_MS = 30_000

/** What kept a worker from sending; see {@link PostponedLanes}. */
export type Obstacle = Omit<PostponedLanes, 'lanes'>

/** The lanes that this worker could not send, and leaves to other workers for a while. */
export interface PostponedLaneRegister {
  /** @param onlyRetries whether new deliveries of the lane can be sent. */
  postpone(lane: Omit<LaneLease, 'epoch'>, obstacle: Obstacle, onlyRetries: boolean): void
  isPostponed(lane: Pick<DueLane, 'accountId' | 'mode' | 'id' | 'hasNew'>): boolean
  /** The number of these lanes for each obstacle, most lanes first. */
  list(): PostponedLanes[]
  /** Milliseconds until the first of these lanes may be tried again; undefined if there is none. */
  freeInMs(): number | undefined
}

/**
 * @param elapsed the time now, in monotonic milliseconds.
 * @param onObstacle called when lanes are postponed for an obstacle that no lane was postponed for.
 */
export function createPostponedLanes(
  elapsed: () => number,
  onObstacle: (obstacle: Obstacle) => void,
): PostponedLaneRegister {
  const lanes = new Map<
    string,
    { readonly obstacle: Obstacle; readonly onlyRetries: boolean; readonly until: number }
  >()

  /**
   * Forgets the lanes whose time is up. A lane that is postponed again goes to the end of the map, so these come first.
   */
  const forget = (): void => {
    for (const [key, { until }] of lanes) {
      if (until > elapsed()) return
      lanes.delete(key)
    }
  }
  const list = (): PostponedLanes[] => {
    forget()
    const causes = new Map<string, PostponedLanes>()
    for (const { obstacle } of lanes.values()) {
      const key = `${obstacle.cause} ${obstacle.name}`
      causes.set(key, { ...obstacle, lanes: (causes.get(key)?.lanes ?? 0) + 1 })
    }
    return [...causes.values()].sort((a, b) => b.lanes - a.lanes)
  }

  return {
    postpone(lane, obstacle, onlyRetries) {
      const { cause, name } = obstacle
      if (!list().some((known) => known.cause === cause && known.name === name)) onObstacle(obstacle)
      lanes.delete(laneKey(lane))
      lanes.set(laneKey(lane), { obstacle, onlyRetries, until: elapsed() + ALONE_MS })
    },
    isPostponed(lane) {
      const postponed = lanes.get(laneKey(lane))
      return postponed !== undefined && postponed.until > elapsed() && !(postponed.onlyRetries && lane.hasNew === true)
    },
    list,
    freeInMs() {
      forget()
      const [first] = lanes.values()
      return first && Math.ceil(first.until - elapsed())
    },
  }
}
