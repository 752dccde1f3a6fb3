import type { SqlClient } from '../database/database.ts'
import { assertTransaction } from './assert-transaction.ts'
import { addKnownClient } from './known-clients.ts'

/** The part of a Prisma transaction client that Callboard uses. A client outside a transaction has `$connect`. */
export interface PrismaTransaction {
  $queryRawUnsafe(query: string, ...values: unknown[]): PromiseLike<unknown>
  readonly $connect?: never
}

/**
 * Publishes within an interactive Prisma transaction.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a client outside a transaction.
 * @example
 * await prisma.$transaction(async (tx) => {
 *   await tx.order.create({ data: { id, email } })
 *   await callboard.publish(event, { tx: fromPrisma(tx) })
 * })
 */
export function fromPrisma(tx: PrismaTransaction): SqlClient {
  assertTransaction(typeof tx?.$queryRawUnsafe === 'function' && tx.$connect === undefined, 'prisma.$transaction')
  return addKnownClient({
    async query(text, values = []) {
      const rows = await Promise.resolve(tx.$queryRawUnsafe(text, ...values)).catch((error: unknown) => {
        throw withSqlState(error)
      })
      if (!Array.isArray(rows)) throw new TypeError('Prisma returned no rows')
      return { rows }
    },
  })
}

/**
 * The SQLSTATE for each of Prisma's own error codes, and for each kind of error that its driver adapters report without
 * a SQLSTATE.
 */
const SQL_STATES: Readonly<Record<string, string>> = {
  P1001: '08001',
  P1008: '08006',
  P1017: '08006',
  P2034: '40001',
  P2037: '53300',
  ConnectionClosed: '08006',
  DatabaseNotReachable: '08001',
  SocketTimeout: '08006',
}

/**
 * Adds the SQLSTATE to an error, preferably from Prisma's own code. P2010 is the code for all other errors of raw
 * queries: its message has the SQLSTATE, or its `meta` has at least a kind of error.
 */
function withSqlState(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const [, raw] = /Raw query failed\. Code: `(\w{5})`/.exec(error.message) ?? []
  const kind = ['meta', 'driverAdapterError', 'cause', 'kind'].reduce<unknown>(memberOf, error)
  const code = SQL_STATES[String(error.code)] ?? raw ?? SQL_STATES[String(kind)]
  return code === undefined ? error : Object.assign(new Error(error.message, { cause: error }), { code })
}

function memberOf(value: unknown, key: string): unknown {
  return value instanceof Object ? Reflect.get(value, key) : undefined
}
