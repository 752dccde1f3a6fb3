/** Checked by tsc and never run: the inputs that `publish` accepts and refuses. */
import { type Callboard, createCallboard, type PublishedEvent } from '@callboard/core'
import type { Store } from '@callboard/core/store'
import { createPostgresStore, type PostgresStore, type SqlClient } from '@callboard/store-postgres'
import type { PGlite, Transaction } from '@electric-sql/pglite'
import type { Pool, PoolClient } from 'pg'
import { expectTypeOf } from 'vitest'
import { catalog, type SampleCatalog } from './sample-catalog.ts'

declare const pool: Pool
declare const client: PoolClient
declare const pglite: PGlite
declare const transaction: Transaction
declare const memory: Store<unknown>
declare const someType: 'order.paid' | 'attendee.checked_in'

const secretKeys = { current: 'k', keys: { k: 'base64' } }
const callboard = createCallboard({ catalog, store: createPostgresStore({ pool }), secretKeys })
const subject = { type: 'order', id: 'ord_1' }
const order = { id: 'ord_1', buyer: { entity_id: 'per_1' } }

expectTypeOf(callboard).toEqualTypeOf<Callboard<SampleCatalog, SqlClient>>()
expectTypeOf(createCallboard({ catalog, store: memory, secretKeys })).toEqualTypeOf<Callboard<SampleCatalog, unknown>>()
expectTypeOf(createPostgresStore({ pglite })).toEqualTypeOf<PostgresStore>()

// `data` has the schema's input type: fields with a default may be omitted.
expectTypeOf(
  callboard.publish({ accountId: 'acc', type: 'order.paid', subject, data: { order } }),
).resolves.toEqualTypeOf<PublishedEvent>()
callboard.publish({ accountId: 'acc', type: 'attendee.checked_in', subject, data: { attendee: { id: 'a' } } })

// @ts-expect-error no such type
callboard.publish({ accountId: 'acc', type: 'order.refunded', subject, data: { order } })
// @ts-expect-error data of another type
callboard.publish({ accountId: 'acc', type: 'attendee.checked_in', subject, data: { order } })
// @ts-expect-error a member is missing
callboard.publish({ accountId: 'acc', type: 'order.paid', subject, data: { order: { id: 'ord_1' } } })
// @ts-expect-error a member has another type
callboard.publish({ accountId: 'acc', type: 'order.paid', subject, data: { order: { ...order, id: 1 } } })
// @ts-expect-error a member is unknown
callboard.publish({ accountId: 'acc', type: 'order.paid', subject, data: { order, refund: true } })
// @ts-expect-error no subject
callboard.publish({ accountId: 'acc', type: 'order.paid', data: { order } })
// @ts-expect-error no such mode
callboard.publish({ accountId: 'acc', type: 'order.paid', subject, data: { order }, mode: 'sandbox' })
// @ts-expect-error a string is not a Date
callboard.publish({ accountId: 'acc', type: 'order.paid', subject, data: { order }, occurredAt: '2026-10-01' })

const paid = { accountId: 'acc', type: 'order.paid', subject, data: { order } } as const
const checkedIn = { accountId: 'acc', type: 'attendee.checked_in', subject, data: { attendee: { id: 'a' } } } as const
callboard.publishMany([paid, checkedIn])
// @ts-expect-error one event has the data of another type
callboard.publishMany([paid, { ...checkedIn, data: { order } }])
// @ts-expect-error `type` may be either of two types, but `data` fits only one
callboard.publishMany([{ ...paid, type: someType }])

// `tx` accepts a `pg` client, a PGlite database or a PGlite transaction, and nothing else. Clients have `connect` too.
callboard.publish(paid, { tx: client })
callboard.publish(paid, { tx: transaction })
callboard.publish(paid, { tx: pglite })
// @ts-expect-error a pool runs each statement on any connection
callboard.publish(paid, { tx: pool })
// @ts-expect-error a forgotten variable
callboard.publish(paid, { tx: undefined })
// @ts-expect-error a forgotten variable
createCallboard({ catalog, store: memory, secretKeys }).publish(paid, { tx: null })
// @ts-expect-error the client in place of the options
callboard.publish(paid, client)
// @ts-expect-error not a client
callboard.publish(paid, { tx: 'begin' })
