import { fromKnex } from '@callboard/store-postgres'
import type { Knex } from 'knex'
import { callboard } from '../start/callboard.ts'
import { orderPaid } from './order-paid.ts'

export async function sell(knex: Knex, id: string, email: string): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx('orders').insert({ id, email })
    await callboard.publish(orderPaid(id, email), { tx: fromKnex(trx) })
  })
}
