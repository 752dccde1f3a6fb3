import type { CallboardEvent } from '@callboard/signature/request'
import { expect, it } from 'vitest'
import { createSideBySide } from './side-by-side.ts'

const event = (version: string, data: unknown, id = 'evt_1'): CallboardEvent => ({
  id,
  version,
  data,
  type: 'order.paid',
  occurred_at: '2026-10-01T18:03:12.871Z',
  account: { id: 'acc', name: 'Acme' },
  subject: { type: 'order', id: 'ord_1', sequence: 1 },
  correlation_id: null,
  livemode: true,
})
const newer = event('2026-10-01', {
  order: { id: 'ord_1', buyer: { name: 'Ada' }, lines: [{ price: 1 }, { price: 2 }] },
})
const older = event('2026-04-01', { order: { id: 'ord_1', customer: 'Ada', lines: [{ price: 1 }, { price: 2 }] } })

it('the fields of an event’s two versions are compared, without values, once both versions have arrived', () => {
  const lines = ['  only in 2026-10-01: order.buyer.name', '  only in 2026-04-01: order.customer']
  const compare = createSideBySide()
  expect(compare(newer)).toEqual([])
  expect(compare(newer)).toEqual([])
  expect(compare(older)).toEqual(lines)
  expect(compare(older)).toEqual([])
  expect(compare(newer)).toEqual(lines)
})

it('an event whose other version never arrives is eventually forgotten', () => {
  const compare = createSideBySide()
  compare(newer)
  for (let count = 0; count < 100; count++) compare(event('2026-10-01', {}, `evt_${count + 2}`))
  expect(compare(older)).toEqual([])
})
