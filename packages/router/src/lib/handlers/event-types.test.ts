import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../test/platform.ts'
import { eventTypeList } from '../schemas/event-schemas.ts'

describe('GET /v1/event-types (sections 4.2 and 2.3 of the /v1 contract)', () => {
  it('returns the version, and every event type with a sample that includes personal data', async () => {
    const { ask, issue } = await createPlatform()
    const response = await ask('/v1/event-types', { token: (await issue(['webhooks.read'])).token })
    expect(response.status).toBe(200)
    expect(eventTypeList.parse(await response.json())).toEqual({
      apiVersion: '2026-10-01',
      data: [
        {
          type: 'order.paid',
          family: 'orders',
          descriptionKey: 'events.order_paid',
          sample: {
            order: { id: 'ord_1', buyer: { entity_id: 'per_1', name: 'Ada Sample', email: 'ada@example.com' } },
          },
          personalDataPaths: ['order.buyer.name', 'order.buyer.email'],
        },
        {
          type: 'attendee.checked_in',
          family: 'attendees',
          descriptionKey: 'events.attendee_checked_in',
          sample: { attendee: { id: 'att_1' } },
          personalDataPaths: [],
        },
      ],
    })
  })
})
