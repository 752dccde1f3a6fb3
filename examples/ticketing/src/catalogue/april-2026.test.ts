import { checkCatalog } from '@callboard/testing'
import { expect, it } from 'vitest'
import { catalog } from './catalog.ts'
import { orderPaid } from './orders.ts'

it('every event can be converted to every previous version, whatever its data', () => checkCatalog(catalog))

it('version 2026-04-01 has the buyer under its former name, with one field for name and address', () => {
  const before = catalog.versions['2026-04-01'].get('order.paid')?.sample
  const { buyer: _, ...order } = orderPaid.sample.order
  const customer = { entity_id: 'per_2c6v8x0z', contact: 'Ada Lindqvist <ada.lindqvist@example.com>' }
  expect(before).toEqual({ order: { ...order, customer } })
  expect(catalog.versions['2026-04-01'].get('attendee.updated')).toBeUndefined()
})
