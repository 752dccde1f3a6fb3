import type { StoreTransaction } from '@callboard/store-conformance'

const ROLLBACK = new Error('rolled back')

/** A transaction that lasts as long as a callback does, kept open until it is told how to end. */
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
