import { randomUUID } from 'node:crypto'
import { type Callboard, CallboardError, type PublishedEvent } from '@callboard/core'
import type { SqlClient } from '@callboard/store-postgres'
import * as z from 'zod'
import type { TicketingCatalog } from './catalogue/catalog.ts'
import { type Database, rowsOf } from './database/database.ts'
import { checkInInput, saleInput } from './shop-inputs.ts'
import { totalsOf } from './totals.ts'

export interface Shop {
  /** Sells tickets. Commits the order's rows and `order.paid` together, or neither. */
  sell(input: z.input<typeof saleInput>): Promise<Sale>
  /**
   * Checks in one attendee who matches the input and has not checked in yet. Commits the attendee's row and
   * `attendee.checked_in` together. Throws `NOT_FOUND` if nobody matches.
   */
  checkIn(input: z.input<typeof checkInInput>): Promise<CheckIn>
  countOrders(): Promise<number>
}

export interface Sale {
  readonly orderId: string
  readonly attendeeIds: readonly string[]
  readonly event: PublishedEvent
}

export interface CheckIn {
  readonly attendeeId: string
  readonly orderId: string
  readonly event: PublishedEvent
}

export interface ShopOptions {
  readonly database: Database
  readonly callboard: Pick<Callboard<TicketingCatalog, SqlClient>, 'publish'>
  /** The account that owns the shop's events. */
  readonly accountId: string
  /** The time in milliseconds since the epoch. */
  readonly now: () => number
}

const admitted = z.object({
  id: z.string(),
  order_id: z.string(),
  ticket_type_id: z.string(),
  checked_in_at: z.date(),
  event_id: z.string(),
  event_name: z.string(),
  buyer_id: z.string(),
  buyer_name: z.string(),
  buyer_email: z.string(),
})

export function createShop({ database, callboard, accountId, now: clock }: ShopOptions): Shop {
  return {
    sell(input) {
      const { eventName, buyer, lines } = saleInput.parse(input)
      const now = new Date(clock())
      const order = { id: newId('ord'), event: { id: newId('eve'), name: eventName } }
      const person = { entity_id: newId('per'), ...buyer }
      const totals = totalsOf(lines)
      const attendees = lines.flatMap(({ quantity, ticket_type_id }) =>
        Array.from({ length: quantity }, () => ({ id: newId('att'), ticket_type_id })),
      )
      return database.transaction(async (tx) => {
        await tx.query(
          `insert into ticketing.orders
             (id, created_at, event_id, event_name, buyer_id, buyer_name, buyer_email, gross_amount, currency)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
          [
            order.id,
            now,
            order.event.id,
            order.event.name,
            person.entity_id,
            person.name,
            person.email,
            totals.gross.amount,
            totals.gross.currency,
          ],
        )
        await tx.query(
          `insert into ticketing.attendees (id, ticket_type_id, order_id)
           select id, ticket_type_id, $3 from unnest($1::text[], $2::text[]) as attendee (id, ticket_type_id)`,
          [attendees.map(({ id }) => id), attendees.map(({ ticket_type_id }) => ticket_type_id), order.id],
        )
        const event = await callboard.publish(
          {
            accountId,
            type: 'order.paid',
            subject: { type: 'order', id: order.id },
            occurredAt: now,
            data: {
              order: {
                ...order,
                status: 'paid',
                created_at: now.toISOString(),
                paid_at: now.toISOString(),
                totals,
                buyer: person,
                lines,
              },
            },
          },
          { tx },
        )
        return { orderId: order.id, attendeeIds: attendees.map(({ id }) => id), event }
      })
    },

    checkIn(input) {
      const { orderId = null, attendeeId = null, gate } = checkInInput.parse(input)
      return database.transaction(async (tx) => {
        const [attendee] = await rowsOf(
          tx,
          admitted,
          `update ticketing.attendees a set checked_in_at = $3
           from ticketing.orders o
           where o.id = a.order_id and a.id = (
             select a.id from ticketing.attendees a join ticketing.orders o on o.id = a.order_id
             where a.checked_in_at is null and ($1::text is null or o.id = $1) and ($2::text is null or a.id = $2)
             order by o.created_at desc, a.id limit 1 for update of a skip locked)
           returning a.id, a.order_id, a.ticket_type_id, a.checked_in_at,
             o.event_id, o.event_name, o.buyer_id, o.buyer_name, o.buyer_email`,
          [orderId, attendeeId, new Date(clock())],
        )
        if (attendee === undefined)
          throw new CallboardError(
            'NOT_FOUND',
            'No attendee to check in: none matches, or all have checked in. Sell a ticket with POST /demo/orders.',
          )
        const event = await callboard.publish(
          {
            accountId,
            type: 'attendee.checked_in',
            subject: { type: 'attendee', id: attendee.id },
            occurredAt: attendee.checked_in_at,
            data: {
              attendee: {
                id: attendee.id,
                order_id: attendee.order_id,
                ticket_type_id: attendee.ticket_type_id,
                event: { id: attendee.event_id, name: attendee.event_name },
                entity_id: attendee.buyer_id,
                name: attendee.buyer_name,
                email: attendee.buyer_email,
                checked_in_at: attendee.checked_in_at.toISOString(),
                gate,
              },
            },
          },
          { tx },
        )
        return { attendeeId: attendee.id, orderId: attendee.order_id, event }
      })
    },

    async countOrders() {
      const [row] = await database.query(
        z.object({ count: z.int() }),
        `select count(*)::int as count from ticketing.orders`,
      )
      return row?.count ?? 0
    },
  }
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 16)}`
}
