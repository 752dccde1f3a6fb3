import { defineCatalog, defineEventType, type RateLimits } from '@callboard/core'
import * as z from 'zod'

const data = z.looseObject({})

const define = (name: string) =>
  defineEventType({
    name,
    family: 'orders',
    descriptionKey: `events.${name}`,
    schema: data,
    sample: { buyer: { name: 'Ada Sample', email: 'ada@example.com' } },
    personalDataPaths: ['buyer.name', 'buyer.email'],
  })

/** Two event types, both with a buyer's personal data. */
export const benchCatalog = defineCatalog({
  version: '2026-10-01',
  types: [define('order.paid'), define('order.refunded')],
})

/** Limits that no benchmark reaches. */
export const WIDE_LIMITS: RateLimits = [
  { seconds: 1, limit: 1_000_000_000 },
  { seconds: 10, limit: 1_000_000_000 },
  { seconds: 60, limit: 1_000_000_000 },
]

export const BENCH_SECRET_KEYS = { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } } as const
