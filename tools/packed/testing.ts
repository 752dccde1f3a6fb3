// A platform's tests check the conversions of its catalogue.
import assert from 'node:assert/strict'
import { defineCatalog, defineEventType, definePreviousType } from '@callboard/core'
import { checkCatalog } from '@callboard/testing'
import * as z from 'zod'

const paid = defineEventType({
  name: 'order.paid',
  schema: z.object({ id: z.string(), count: z.int().optional() }),
  sample: { id: 'ord_1', count: 1 },
})
const catalogWith = (down: (data: { id: string; count?: number | undefined }) => { id: string; count: number }) =>
  defineCatalog({
    version: '2026-10-01',
    types: [paid],
    previous: [
      {
        version: '2026-04-01',
        types: [
          definePreviousType(paid, {
            schema: z.object({ id: z.string(), count: z.int() }),
            sample: { id: 'ord_1', count: 1 },
            down,
          }),
        ],
      },
    ],
  })

checkCatalog(catalogWith(({ id, count = 0 }) => ({ id, count })))
assert.throws(() => checkCatalog(catalogWith(({ id, count }) => ({ id, count: count ?? 0.5 }))), {
  code: 'CATALOG_INVALID',
})
