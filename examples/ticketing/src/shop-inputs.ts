import * as z from 'zod'
import { money, text } from './catalogue/fields.ts'

const line = z.strictObject({
  ticket_type_id: text.default('tic_standard'),
  name: text.default('Standard'),
  quantity: z.int().min(1).max(20).default(1),
  unit_price: z
    .strictObject({ ...money.shape, amount: z.int().min(0).max(10_000_000) })
    .default({ amount: 3600, currency: 'EUR' }),
})

const LINES = 'must be a list of 1 to 10 lines; leave it out for a standard ticket'

/**
 * The input of `POST /demo/orders`. Its lines have the same form as the lines of `order.paid`. Every field can be
 * omitted.
 */
export const saleInput = z.strictObject({
  eventName: text.default('Jazz Night at the Old Brewery'),
  buyer: z
    .strictObject({
      name: text.default('Ada Lindqvist'),
      email: z.email().max(255).default('ada.lindqvist@example.com'),
    })
    .prefault({}),
  lines: z
    .array(line, LINES)
    .min(1, LINES)
    .max(10, LINES)
    .refine(
      (lines) => new Set(lines.map(({ unit_price }) => unit_price.currency)).size <= 1,
      'must all be in one currency',
    )
    .prefault([{}]),
})

/**
 * The input of `POST /demo/check-ins`. By default, the route checks in the next attendee of the newest order in which
 * somebody has not checked in yet.
 */
export const checkInInput = z.strictObject({
  orderId: text.optional(),
  attendeeId: text.optional(),
  gate: text.default('Main entrance'),
})
