import { describe, expect, it } from 'vitest'
import { attendeeCheckedIn } from './attendees.ts'
import { catalog } from './catalog.ts'
import { orderPaid } from './orders.ts'
import { subjectOf } from './subject-of.ts'

const nested = (value: unknown): [path: string, value: unknown][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) =>
        nested(inner).map(([path, leaf]): [string, unknown] => [
          [...(Array.isArray(value) ? [] : [key]), ...(path === '' ? [] : [path])].join('.'),
          leaf,
        ]),
      )
    : [['', value]]

describe('the catalogue', () => {
  it('lists every event type with its family', () => {
    expect(catalog.listed.map(({ type, family }) => [family, type])).toEqual([
      ['orders', 'order.paid'],
      ['orders', 'order.refunded'],
      ['orders', 'order.cancelled'],
      ['attendees', 'attendee.registered'],
      ['attendees', 'attendee.checked_in'],
      ['attendees', 'attendee.updated'],
      ['events', 'event.published'],
    ])
  })

  it('has every field of order.paid (section 2.5 of the /v1 contract)', () => {
    const { order } = orderPaid.sample
    const money = { amount: expect.any(Number), currency: expect.stringMatching(/^[A-Z]{3}$/) }
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const line = {
      ticket_type_id: expect.any(String),
      name: expect.any(String),
      quantity: expect.any(Number),
      unit_price: money,
    }
    expect(Object.keys(order)).toEqual(['id', 'status', 'created_at', 'paid_at', 'event', 'totals', 'buyer', 'lines'])
    expect(order).toEqual({
      id: expect.any(String),
      status: 'paid',
      created_at: timestamp,
      paid_at: timestamp,
      event: { id: expect.any(String), name: expect.any(String) },
      totals: { gross: money, fees: money, net: money, tax: money },
      buyer: { entity_id: expect.any(String), name: expect.any(String), email: expect.any(String) },
      lines: [line, line],
    })
    expect(orderPaid.personalDataPaths).toEqual(['order.buyer.name', 'order.buyer.email'])
  })

  // Finds personal fields by their names, so that the test fails for a new type that has such a field but does not list
  // its path.
  it.each(catalog.types)(
    'names every personal field of $name, including those in arrays',
    ({ sample, personalDataPaths }) => {
      const personal = nested(sample)
        .map(([path]) => path)
        .filter((path) => /(?:buyer|attendees?|contacts)\.(?:name|email)$|answer$|before$/.test(path))
      expect([...personalDataPaths].sort()).toEqual([...new Set(personal)].sort())
    },
  )

  it.each(catalog.types)('finds the subject of $name', ({ name, sample }) => {
    expect(subjectOf(sample)?.type).toBe(name.split('.')[0])
  })

  it('accepts an event without its personal data', () => {
    const { name, email, ...rest } = attendeeCheckedIn.sample.attendee
    expect(attendeeCheckedIn.schema.safeParse({ attendee: rest }).success).toBe(true)
  })
})
