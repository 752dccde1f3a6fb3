import { type Catalog, defineCatalog, defineEventType, type EventType } from '@callboard/core'
import * as z from 'zod'

interface Order {
  id: string
  total?: { amount: number; currency: string } | undefined
  buyer: { entity_id: string; name?: string | undefined; email?: string | undefined }
  note?: string | undefined
}

interface Line {
  name: string
  attendee: { name?: string | undefined; email?: string | undefined }
}

/** The data to publish; `status` and `lines` have defaults. */
interface OrderInput {
  order: Order & { status?: string | undefined; lines?: Line[] | undefined }
}

interface OrderOutput {
  order: Order & { status: string; lines: Line[] }
}

interface CheckIn {
  attendee: { id: string; name?: string | undefined }
}

const orderSchema: z.ZodType<OrderOutput, OrderInput> = z.object({
  order: z.object({
    id: z.string(),
    status: z.string().default('paid'),
    total: z.object({ amount: z.int(), currency: z.string() }).optional(),
    buyer: z.object({
      entity_id: z.string(),
      name: z.string().optional(),
      email: z.email().optional(),
    }),
    lines: z
      .array(
        z.object({
          name: z.string(),
          attendee: z.object({ name: z.string().optional(), email: z.string().optional() }),
        }),
      )
      .default([]),
    note: z.string().optional(),
  }),
})

const checkInSchema: z.ZodType<CheckIn, CheckIn> = z.object({
  attendee: z.object({ id: z.string(), name: z.string().optional() }),
})

export const orderPaid: EventType<'order.paid', typeof orderSchema> = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order_paid',
  schema: orderSchema,
  sample: {
    order: {
      id: 'ord_1',
      buyer: { entity_id: 'per_1', name: 'Ada', email: 'ada@example.com' },
      lines: [{ name: 'Ticket', attendee: { name: 'Bob', email: 'bob@example.com' } }],
    },
  },
  personalDataPaths: [
    'order.buyer.name',
    'order.buyer.email',
    'order.lines.attendee.name',
    'order.lines.attendee.email',
  ],
  personPath: 'order.buyer.entity_id',
})

export const checkedIn: EventType<'attendee.checked_in', typeof checkInSchema> = defineEventType({
  name: 'attendee.checked_in',
  family: 'attendees',
  descriptionKey: 'events.checked_in',
  schema: checkInSchema,
  sample: { attendee: { id: 'att_1', name: 'Bob' } },
  personalDataPaths: ['attendee.name'],
})

export type SampleCatalog = Catalog<typeof orderPaid | typeof checkedIn>

/** The two types of the API's documentation. */
export const catalog: SampleCatalog = defineCatalog({ version: '2026-10-01', types: [orderPaid, checkedIn] })
