import type { PostgresStoreOptions } from '@callboard/store-postgres'
import { Client, type QueryConfig, type QueryResult } from 'pg'

type StorePool = NonNullable<PostgresStoreOptions['pool']>

export interface TransactionPool {
  readonly pool: StorePool
  end(): Promise<void>
}

/**
 * Behaves like a pool behind PgBouncer in transaction mode: each transaction, and each statement outside of one, runs
 * on the connection that has been free longest. The connection is reset afterwards, so no prepared statement, setting,
 * lock or `listen` remains for the next statement.
 */
export async function createTransactionPool(connectionString: string, connections = 4): Promise<TransactionPool> {
  const all = Array.from({ length: connections }, () => new Client({ connectionString }))
  await Promise.all(all.map((client) => client.connect()))
  const free = [...all]
  const waiting: ((client: Client) => void)[] = []

  const take = (): Promise<Client> => {
    const client = free.shift()
    return client === undefined ? new Promise((taken) => waiting.push(taken)) : Promise.resolve(client)
  }
  const giveBack = async (client: Client): Promise<void> => {
    await client.query('discard all')
    const next = waiting.shift()
    if (next === undefined) free.push(client)
    else next(client)
  }

  const createClient = () => {
    let inTransaction: Client | undefined
    const run = async (query: QueryConfig): Promise<QueryResult> => {
      const client = inTransaction ?? (await take())
      if (query.text.startsWith('begin')) inTransaction = client
      if (query.text === 'commit' || query.text === 'rollback') inTransaction = undefined
      try {
        return await client.query(query)
      } finally {
        if (inTransaction === undefined) await giveBack(client)
      }
    }
    return {
      query(query: QueryConfig, answered?: (error: unknown, result: Pick<QueryResult, 'rows'>) => void) {
        const answer = run(query)
        if (answered === undefined) return answer
        return answer.then(
          (result) => {
            answered(null, result)
            return result
          },
          (error: unknown) => {
            answered(error, { rows: [] })
            return { rows: [] }
          },
        )
      },
      on: () => undefined,
      removeListener: () => undefined,
    }
  }

  return {
    pool: {
      connect: (taken) => taken(undefined, createClient(), () => undefined),
      on: () => undefined,
    },
    async end() {
      await Promise.all(all.map((client) => client.end()))
    },
  }
}
