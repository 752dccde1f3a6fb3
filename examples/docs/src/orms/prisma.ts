import { fromPrisma, type PrismaTransaction } from '@callboard/store-postgres'
import { callboard } from '../start/callboard.ts'
import { orderPaid } from './order-paid.ts'

interface OrdersTransaction extends PrismaTransaction {
  readonly order: { create(input: { data: { id: string; email: string } }): Promise<unknown> }
}

/** The part of the generated client that `sell` uses. */
export interface PrismaClient {
  $transaction(work: (tx: OrdersTransaction) => Promise<void>): Promise<void>
}

// #region sell
export async function sell(prisma: PrismaClient, id: string, email: string): Promise<void> {
  await prisma.$transaction(async (tx) => {
    await tx.order.create({ data: { id, email } })
    await callboard.publish(orderPaid(id, email), { tx: fromPrisma(tx) })
  })
}
// #endregion
