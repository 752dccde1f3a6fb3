import type { Pool, PoolClient } from 'pg'

/** Publishes `count` events in the client's open transaction. `from` is the number of the first event. */
export type Publish = (client: PoolClient, from: number, count: number) => Promise<unknown>

export interface LoopOptions {
  readonly pool: Pool
  /** Concurrent transactions, each on a connection of its own. */
  readonly clients: number
  readonly eventsPerTransaction: number
  readonly ms: number
}

let published = 0

/**
 * Repeats a transaction of the platform, which consists of one insert and `publish`. Returns how many transactions
 * complete per second.
 */
export async function transactionsPerSecond(publish: Publish, options: LoopOptions): Promise<number> {
  const { pool, clients, eventsPerTransaction, ms } = options
  const connections = await Promise.all(Array.from({ length: clients }, () => pool.connect()))
  const start = performance.now()
  let done = 0
  const loop = async (client: PoolClient): Promise<void> => {
    for (; performance.now() - start < ms; done++) {
      const from = published
      published += eventsPerTransaction
      await client.query('begin')
      await client.query({
        name: 'platform',
        text: 'insert into orders (reference) values ($1)',
        values: [`order ${from}`],
      })
      await publish(client, from, eventsPerTransaction)
      await client.query('commit')
    }
  }
  await Promise.all(connections.map(loop))
  const perSecond = (done * 1000) / (performance.now() - start)
  for (const client of connections) client.release()
  return perSecond
}
