import { isConflict, toStoreError } from './failures.ts'

const ATTEMPTS = 3

/**
 * Runs one of Callboard's own transactions. Repeats the transaction after a deadlock or a serialisation failure, up to
 * three runs in total, as long as `mayRepeat` allows it.
 */
export async function retryConflicts<Result>(
  work: () => Promise<Result>,
  mayRepeat: () => boolean = () => true,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error) || !mayRepeat()) throw toStoreError(error)
    }
  }
}
