import type { StoreTransaction } from '@callboard/store-conformance'

const ROLLBACK = new Error('rolled back')

/**
 * Starts a transaction through a library that ends the transaction when the caller's callback ends. Keeps the callback
 * running until `commit` or `rollback` is called.
 */
export function holdOpen<Tx>(
  transaction: (work: (tx: Tx) => Promise<void>) => Promise<unknown>,
): Promise<StoreTransaction<Tx>> {
  return new Promise((begun, failed) => {
    const ended = transaction(
      (tx) =>
        new Promise((commit, reject) =>
          begun({
            tx,
            async commit() {
              commit()
              await ended
            },
            async rollback() {
              reject(ROLLBACK)
              await ended.catch((error: unknown) => {
                if (error !== ROLLBACK) throw error
              })
            },
          }),
        ),
    )
    ended.catch(failed)
  })
}
