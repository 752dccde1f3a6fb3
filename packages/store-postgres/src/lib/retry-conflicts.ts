import { isConflict, toStoreError } from './failures.ts'

const TRIES = 3

/** Runs a transaction of our own again after a deadlock or serialisation failure, at most three times in all. */
export async function retryConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === TRIES || !isConflict(error)) throw toStoreError(error)
    }
  }
}
