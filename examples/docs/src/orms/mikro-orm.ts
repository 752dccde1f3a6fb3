import { fromMikroOrm } from '@callboard/store-postgres'
import { defineConfig, defineEntity, type EntityManager, p } from '@mikro-orm/postgresql'
import { callboard } from '../start/callboard.ts'
import { orderPaid } from './order-paid.ts'

const Order = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: { id: p.text().primary(), email: p.text() },
})

export const config = defineConfig({
  entities: [Order],
  clientUrl: process.env['DATABASE_URL'] ?? '',
  schemaGenerator: { ignoreSchema: ['callboard'] }, // otherwise schema:update drops Callboard's tables
})

export async function sell(em: EntityManager, id: string, email: string): Promise<void> {
  await em.transactional(async (tx) => {
    tx.create(Order, { id, email })
    await tx.flush() // writes the order: MikroORM would otherwise write it after the event
    await callboard.publish(orderPaid(id, email), { tx: fromMikroOrm(tx) })
  })
}
