import type { SqlClient } from '../database.ts'
import { assertTransaction } from './assert-transaction.ts'

/** The part of a Prisma transaction client that is used. A client itself, which has `$connect`, is none. */
export interface PrismaTransaction {
  $queryRawUnsafe(query: string, ...values: unknown[]): PromiseLike<unknown>
  readonly $connect?: never
}

/**
 * Publishes within an interactive transaction of Prisma's.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` when it is given the client instead.
 * @example
 * await prisma.$transaction(async (tx) => {
 *   await tx.order.create({ data: { id, email } })
 *   await callboard.publish(event, { tx: fromPrisma(tx) })
 * })
 */
export function fromPrisma(tx: PrismaTransaction): SqlClient {
  assertTransaction(tx.$connect === undefined, 'prisma.$transaction')
  return {
    async query(text, values = []) {
      const rows = await Promise.resolve(tx.$queryRawUnsafe(text, ...values)).catch((error: unknown) => {
        throw withSqlState(error)
      })
      if (!Array.isArray(rows)) throw new TypeError('Prisma gave no rows')
      return { rows }
    },
  }
}

/** What its codes stand for, and what its driver adapters call trouble that has no SQLSTATE. */
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

/** Its own codes come before those of Postgres. P2010, of any other raw query, has the SQLSTATE in its message, or only a kind inside. */
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
