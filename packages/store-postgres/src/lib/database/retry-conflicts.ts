import { isConflict, toStoreError } from './failures.ts'

const ATTEMPTS = 3

/**
 * Runs one of Callboard's own transactions. Repeats the transaction after a deadlock or a serialisation failure, up to
 * three runs in total.
 */
export async function retryConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw toStoreError(error)
    }
  }
}
