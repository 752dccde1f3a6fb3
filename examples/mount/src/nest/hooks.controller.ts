import type { IncomingMessage } from 'node:http'
import { verifyRequest, WebhookRefusedError } from '@callboard/signature/request'
import { BadRequestException, Controller, HttpCode, Post, type RawBodyRequest, Req } from '@nestjs/common'

/** The `data` of each event type that the other platform sends. */
interface Shop {
  'order.paid': { order: { id: string } }
}

@Controller('hooks')
export class HooksController {
  @Post()
  @HttpCode(204)
  async receive(@Req() request: RawBodyRequest<IncomingMessage>): Promise<void> {
    try {
      const event = await verifyRequest<Shop>(request, { secret: process.env.WEBHOOK_SECRET ?? '' })
      console.log(event.type, event.data.order.id)
    } catch (error) {
      if (error instanceof WebhookRefusedError) throw new BadRequestException(error.code)
      throw error // a bug of this receiver: Nest answers 500, and the sender tries again
    }
  }
}
