import type { DueLane } from '@callboard/core/store'
import { laneKey } from '../lanes/lane-key.ts'

/**
 * The maximum number of lanes of one account to remember. Further lanes stay in the store, which reports them again.
 */
const MOST_OF_ONE = 1_000
/** How many lanes to remember in all. Once there are this many, an account with `FEW` or more lanes may not add any. */
const MOST = 50_000
const FEW = 10

/** The lanes that are due. They are taken one by one, and the accounts take turns. */
export interface Turns {
  /** Adds a lane, unless it was added already. Returns false if there is no room for it. */
  add(lane: DueLane): boolean
  /**
   * Takes lanes one after another, until no lane may start. The accounts take turns. In its turn, an account gives the
   * lane that has been due longest among its lanes that may start. `roomAt` returns how many requests an account may
   * open at a host; if it returns 0, the lane may not start.
   */
  takeTurns(roomAt: (accountId: string, host: string, slow: boolean) => number): Iterable<Turn>
  /** How many lanes of each account are waiting for each host. The same account and host may occur twice. */
  waitingFor(): Iterable<{ readonly accountId: string; readonly host: string; readonly lanes: number }>
  /** How many lanes, and accounts, are waiting. */
  size(): number
  count(): number
}

export interface Turn {
  readonly lane: DueLane
  /** How many requests may be opened. */
  readonly room: number
}

/**
 * The lanes of one account, in two queues for each host: healthy lanes and slow lanes. Each queue is in the order in
 * which its lanes became due.
 */
interface AccountLanes {
  readonly queues: Map<string, DueLane[]>
  size: number
}

export function createTurns(): Turns {
  const accounts = new Map<string, AccountLanes>()
  const known = new Set<string>()

  /**
   * Takes the lane that has been due longest among the lanes that may start. The queues must be in the order of
   * `longestDueLast`. Drops each queue whose first lane may not start, because no host or account gets more room before
   * `takeTurns` ends.
   */
  const takeFirst = (
    account: AccountLanes,
    queues: DueLane[][],
    roomAt: (accountId: string, host: string, slow: boolean) => number,
  ): Turn | undefined => {
    for (let queue = queues.pop(); queue !== undefined; queue = queues.pop()) {
      const [lane] = queue
      const room = lane === undefined ? 0 : roomAt(lane.accountId, lane.host, lane.slow)
      if (lane === undefined || room === 0) continue
      queue.shift()
      account.size--
      known.delete(laneKey(lane))
      const dueAt = firstDueAt(queue)
      if (queue.length === 0) account.queues.delete(queueOf(lane))
      else queues.splice(queues.findLastIndex((other) => firstDueAt(other) >= dueAt) + 1, 0, queue)
      return { lane, room }
    }
    return undefined
  }

  return {
    add(lane) {
      const key = laneKey(lane)
      if (known.has(key)) return true
      const account: AccountLanes = accounts.get(lane.accountId) ?? { queues: new Map(), size: 0 }
      if (account.size >= (known.size < MOST ? MOST_OF_ONE : FEW)) return false
      accounts.set(lane.accountId, account)
      const queue = account.queues.get(queueOf(lane))
      if (queue === undefined) account.queues.set(queueOf(lane), [lane])
      else queue.splice(queue.findLastIndex(({ dueAt }) => dueAt <= lane.dueAt) + 1, 0, lane)
      account.size++
      known.add(key)
      return true
    },
    // An account that had its turn goes to the end of the map, where this loop meets it again.
    *takeTurns(roomAt) {
      const sorted = new Map<AccountLanes, DueLane[][]>()
      for (const [accountId, account] of accounts) {
        const queues = sorted.get(account) ?? longestDueLast(account)
        const turn = takeFirst(account, queues, roomAt)
        if (turn === undefined) continue
        accounts.delete(accountId)
        if (account.size > 0) accounts.set(accountId, account)
        sorted.set(account, queues)
        yield turn
      }
    },
    count: () => accounts.size,
    *waitingFor() {
      for (const { queues } of accounts.values())
        for (const queue of queues.values())
          for (const { accountId, host } of queue.slice(0, 1)) yield { accountId, host, lanes: queue.length }
    },
    size: () => known.size,
  }
}

/** The account's queues, sorted by when their first lanes became due, latest first. */
function longestDueLast({ queues }: AccountLanes): DueLane[][] {
  const all = [...queues.values()]
  return all.length > 1 ? all.sort((a, b) => firstDueAt(b) - firstDueAt(a)) : all
}

function firstDueAt(queue: readonly DueLane[]): number {
  return queue[0]?.dueAt ?? Number.POSITIVE_INFINITY
}

function queueOf({ host, slow }: DueLane): string {
  return slow ? `${host} slow` : host
}
