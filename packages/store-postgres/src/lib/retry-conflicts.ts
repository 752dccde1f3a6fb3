import { isConflict, toStoreError } from './failures.ts'

const ATTEMPTS = 3

/** Runs our own transaction, and again after a deadlock or a serialisation failure, at most three times in total. */
export async function retryConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw toStoreError(error)
    }
  }
}
