import { unavailable } from './failures.ts'

/** Runs `work` in a turn of this account, or rejects with `UNAVAILABLE` if none is free within the time limit. */
export type TakeTurn = <Result>(account: string, timeoutMs: number, work: () => Promise<Result>) => Promise<Result>

/**
 * Gives each account at most `share` turns at a time, first come, first served. A customer who keeps many pages open
 * then leaves the rest of the pool to others.
 */
export function createAccountTurns(share: number): TakeTurn {
  /** The free turns of each account that uses any, and the calls that wait for one. */
  const accounts = new Map<string, { free: number; readonly waiting: (() => void)[] }>()

  return async (account, timeoutMs, work) => {
    const turns = accounts.get(account) ?? { free: share, waiting: [] }
    accounts.set(account, turns)
    if (turns.free > 0) turns.free--
    else await inTime(turns.waiting, timeoutMs)
    try {
      return await work()
    } finally {
      // The turn goes straight to the next call, so that no later call can take it.
      const next = turns.waiting.shift()
      if (next !== undefined) next()
      else if (++turns.free === share) accounts.delete(account)
    }
  }
}

function inTime(waiting: (() => void)[], timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(begin), 1)
      reject(unavailable(new Error("the account's other pages took too long")))
    }, timeoutMs)
    waiting.push(begin)
  })
}
