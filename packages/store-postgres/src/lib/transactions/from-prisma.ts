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

/** Its own codes come before those of Postgres: P2010 with the SQLSTATE in the message, or P2034 for 40001 and 40P01. */
function withSqlState(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const [, raw] = /Raw query failed\. Code: `(\w{5})`/.exec(error.message) ?? []
  const code = 'code' in error && error.code === 'P2034' ? '40001' : raw
  return code === undefined ? error : Object.assign(new Error(error.message, { cause: error }), { code })
}
