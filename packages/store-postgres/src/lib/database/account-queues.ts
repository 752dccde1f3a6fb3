import { unavailable } from './failures.ts'

/** Runs `work` once the account's queue lets it; rejects with `UNAVAILABLE` if that takes longer than `timeoutMs`. */
export type RunInQueue = <Result>(account: string, timeoutMs: number, work: () => Promise<Result>) => Promise<Result>

/**
 * Runs at most `limit` calls of each account at a time, first come, first served. A customer who keeps many pages open
 * then leaves the rest of the pool to others.
 */
export function createAccountQueues(limit: number): RunInQueue {
  /** For each account with a call: how many more calls may run, and the calls that wait. */
  const accounts = new Map<string, { free: number; readonly waiting: (() => void)[] }>()

  return async (account, timeoutMs, work) => {
    const queue = accounts.get(account) ?? { free: limit, waiting: [] }
    accounts.set(account, queue)
    if (queue.free > 0) queue.free--
    else await inTime(queue.waiting, timeoutMs)
    try {
      return await work()
    } finally {
      // The next call runs at once, so that no later call can overtake it.
      const next = queue.waiting.shift()
      if (next !== undefined) next()
      else if (++queue.free === limit) accounts.delete(account)
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
