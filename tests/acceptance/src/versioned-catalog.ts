import { defineCatalog, defineEventType, definePreviousType } from '@callboard/core'
import * as z from 'zod'
import { checkedIn, orderPaid, type SampleCatalog } from './sample-catalog.ts'

export const CURRENT = '2026-10-01'
export const APRIL = '2026-04-01'

export const aprilSchema = z.object({ id: z.string(), contact: z.string().optional(), note: z.string().optional() })
export const aprilSample = { id: 'ord_1', contact: 'ada@example.com', note: 'x' }

/** The type `order.paid` in the version `APRIL`. The conversion to this version fails for the order `ord_bad`. */
export const aprilPaid = definePreviousType(orderPaid, {
  schema: aprilSchema,
  sample: aprilSample,
  personalDataPaths: ['contact'],
  down({ order: { id, buyer, note } }) {
    if (id === 'ord_bad') throw new TypeError('no such order')
    const contact = buyer.email
    return { id, ...(contact === undefined ? {} : { contact }), ...(note === undefined ? {} : { note }) }
  },
})

/** The sample catalogue, with a previous version. */
export const versionedCatalog: SampleCatalog = defineCatalog({
  version: CURRENT,
  types: [orderPaid, checkedIn],
  previous: [{ version: APRIL, types: [aprilPaid] }],
})

/** The platform's catalogue in April. Its version is the previous version of `versionedCatalog`. */
export const aprilCatalog = defineCatalog({
  version: APRIL,
  types: [
    defineEventType({
      name: 'order.paid',
      family: 'orders',
      descriptionKey: 'k',
      schema: aprilSchema,
      sample: aprilSample,
      personalDataPaths: ['contact'],
      personPath: 'id',
    }),
  ],
})
