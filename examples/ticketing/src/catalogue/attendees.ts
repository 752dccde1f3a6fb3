import { defineEventType } from '@callboard/core'
import * as z from 'zod'
import { happening, person, text, timestamp } from './fields.ts'

const attendee = {
  id: text,
  order_id: text,
  ticket_type_id: text,
  event: happening,
  ...person.shape,
}

const sample = {
  id: 'att_9d1f3g5h',
  order_id: 'ord_4t8k2m9q',
  ticket_type_id: 'tic_standard',
  event: { id: 'eve_7h3n5p1s', name: 'Jazz Night at the Old Brewery' },
  entity_id: 'per_2c6v8x0z',
  name: 'Ada Lindqvist',
  email: 'ada.lindqvist@example.com',
}

const personalDataPaths = ['attendee.name', 'attendee.email']
const personPath = 'attendee.entity_id'

export const attendeeRegistered = defineEventType({
  name: 'attendee.registered',
  family: 'attendees',
  schema: z.strictObject({
    attendee: z.strictObject({
      ...attendee,
      registered_at: timestamp,
      answers: z.array(z.strictObject({ question_id: text, question: text, answer: text.optional() })),
    }),
  }),
  sample: {
    attendee: {
      ...sample,
      registered_at: '2026-10-01T18:05:47.310Z',
      answers: [
        { question_id: 'que_phone', question: 'Where can we call you?', answer: '+46 70 174 06 05' },
        { question_id: 'que_diet', question: 'Anything you do not eat?', answer: 'Shellfish' },
      ],
    },
  },
  // A free-text answer may contain personal data, whatever the question was.
  personalDataPaths: [...personalDataPaths, 'attendee.answers.answer'],
  personPath,
})

export const attendeeCheckedIn = defineEventType({
  name: 'attendee.checked_in',
  family: 'attendees',
  schema: z.strictObject({
    attendee: z.strictObject({ ...attendee, checked_in_at: timestamp, gate: text }),
  }),
  sample: { attendee: { ...sample, checked_in_at: '2026-10-17T19:02:08.660Z', gate: 'Main entrance' } },
  personalDataPaths,
  personPath,
})

export const attendeeUpdated = defineEventType({
  name: 'attendee.updated',
  family: 'attendees',
  schema: z.strictObject({
    attendee: z.strictObject({
      ...attendee,
      updated_at: timestamp,
      changes: z.array(z.strictObject({ field: z.enum(['name', 'email']), before: text.optional() })).min(1),
    }),
  }),
  sample: {
    attendee: {
      ...sample,
      updated_at: '2026-10-04T12:20:33.007Z',
      changes: [{ field: 'email', before: 'ada@example.com' }],
    },
  },
  personalDataPaths: [...personalDataPaths, 'attendee.changes.before'],
  personPath,
})
