import { defineEventType } from '@callboard/core'
import * as z from 'zod'
import { happening, money, person, text, timestamp } from './fields.ts'

export const eventPublished = defineEventType({
  name: 'event.published',
  family: 'events',
  schema: z.strictObject({
    event: z.strictObject({
      ...happening.shape,
      published_at: timestamp,
      starts_at: timestamp,
      ends_at: timestamp,
      venue: z.strictObject({
        name: text,
        city: text,
        country: z.string().regex(/^[A-Z]{2}$/, 'must be a country code such as SE'),
      }),
      ticket_types: z.array(z.strictObject({ id: text, name: text, price: money })),
      contacts: z.array(person),
    }),
  }),
  sample: {
    event: {
      id: 'eve_7h3n5p1s',
      name: 'Jazz Night at the Old Brewery',
      published_at: '2026-09-02T08:00:00.000Z',
      starts_at: '2026-10-17T19:30:00.000Z',
      ends_at: '2026-10-17T23:00:00.000Z',
      venue: { name: 'The Old Brewery', city: 'Malmö', country: 'SE' },
      ticket_types: [
        { id: 'tic_standard', name: 'Standard', price: { amount: 3600, currency: 'EUR' } },
        { id: 'tic_student', name: 'Student', price: { amount: 2500, currency: 'EUR' } },
      ],
      contacts: [{ entity_id: 'per_8y0u2i4o', name: 'Chidi Okafor', email: 'chidi.okafor@example.com' }],
    },
  },
  // No personPath: an event can have several contacts, and the path to a person cannot lead through an array.
  personalDataPaths: ['event.contacts.name', 'event.contacts.email'],
})
