import { Body, Controller, Inject, Post } from '@nestjs/common'
import { Pool } from 'pg'
import { CALLBOARD, type PlatformCallboard } from './callboard.module.ts'

@Controller('orders')
export class OrdersController {
  constructor(
    @Inject(Pool) private readonly pool: Pool,
    @Inject(CALLBOARD) private readonly callboard: PlatformCallboard,
  ) {}

  @Post()
  async create(@Body() { email }: { email: string }): Promise<{ id: string }> {
    const id = `ord_${crypto.randomUUID()}`
    const tx = await this.pool.connect()
    try {
      await tx.query('begin')
      await tx.query('insert into orders (id, email) values ($1, $2)', [id, email])
      const data = { order: { id, buyer: { entity_id: 'per_1', email } } }
      await this.callboard.publish(
        { accountId: 'acc_1', type: 'order.paid', subject: { type: 'order', id }, data },
        { tx },
      )
      await tx.query('commit') // the order and its event are committed together
      return { id }
    } catch (error) {
      await tx.query('rollback')
      throw error
    } finally {
      tx.release()
    }
  }
}
