import { createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { createPostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { defineConfig } from './define-config.ts'

it("accepts a platform's Callboard, with any catalogue, and a pg pool", () => {
  const pool = new Pool()
  const paid = defineEventType({
    name: 'order.paid',
    family: 'orders',
    descriptionKey: 'events.order_paid',
    schema: z.object({ id: z.string() }),
    sample: { id: 'ord_1' },
  })
  const callboard = createCallboard({
    catalog: defineCatalog({ version: '2026-10-01', types: [paid] }),
    store: createPostgresStore({ pool }),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
  })
  expect(defineConfig({ callboard, pool })).toEqual({ callboard, pool })
})
