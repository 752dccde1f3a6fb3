import { fromTypeOrm } from '@callboard/store-postgres'
import { type DataSource, EntitySchema } from 'typeorm'
import { callboard } from '../start/callboard.ts'
import { orderPaid } from './order-paid.ts'

export const Order = new EntitySchema<{ id: string; email: string }>({
  name: 'Order',
  tableName: 'orders',
  columns: { id: { type: 'text', primary: true }, email: { type: 'text' } },
})

export async function sell(dataSource: DataSource, id: string, email: string): Promise<void> {
  await dataSource.transaction(async (manager) => {
    await manager.insert(Order, { id, email })
    await callboard.publish(orderPaid(id, email), { tx: fromTypeOrm(manager) })
  })
}
